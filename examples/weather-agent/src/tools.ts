import { tool } from "@agrx/core";
import { z } from "zod";

/** The agent's own tools: it runs them itself and answers their calls. */
export const agentTools = [
  tool({
    name: "get_weather",
    description: "The weather in a city, now",
    parameters: z.object({ city: z.string(), unit: z.enum(["celsius", "fahrenheit"]).default("celsius") }),
    execute: ({ city }) => ({ city, ...weatherOf(city) }),
  }),
  tool({
    name: "roll_dice",
    description: "Rolls a die",
    parameters: z.object({ sides: z.number().int().min(2).max(1000), reason: z.string().optional() }),
    execute: ({ sides }) => ({ sides, value: 1 + Math.floor(Math.random() * sides) }),
  }),
];

/** The client's tool: the agent only learns of it from the client's request, and leaves its calls open. */
export const clientTools = [
  tool({
    name: "open_settings_panel",
    description: "Opens the settings in the user's window",
    parameters: z.object({ tab: z.enum(["units", "account"]) }),
    execute: ({ tab }) => ({ open: tab }),
  }),
];

/** A stand-in for a weather service: the same city always has the same weather. */
function weatherOf(city: string): { celsius: number; sky: string } {
  const seed = [...city].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return { celsius: (seed % 35) - 5, sky: ["clear", "cloudy", "rainy"][seed % 3] ?? "clear" };
}
