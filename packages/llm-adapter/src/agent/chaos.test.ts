import Anthropic from "@anthropic-ai/sdk";
import { EventType, isTerminal, tool, type AGUIEvent } from "@agrx/core";
import { verify } from "@agrx/verify";
import { GoogleGenAI } from "@google/genai";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import OpenAI from "openai";
import { lastValueFrom, map, mergeMap, range, toArray } from "rxjs";
import { z } from "zod";
import { anthropicMessages } from "../models/anthropic-messages.js";
import { googleGenAI } from "../models/google-gen-ai.js";
import type { Model } from "../models/model.js";
import { openai } from "../models/openai.js";
import { agent } from "./agent.js";
import { startFaultyProvider } from "./faulty-provider.fixture.js";

const soak = process.env["AGRX_SOAK"] === "1";
const runs = soak ? 500 : 40;

const models: Record<string, (url: string) => Model> = {
  openai: (url) => openai(new OpenAI({ apiKey: "test", baseURL: `${url}/v1` }), { model: "gpt-4o-mini" }),
  anthropic: (url) =>
    anthropicMessages(new Anthropic({ apiKey: "test", baseURL: url }), {
      model: "claude-sonnet-5",
      max_tokens: 99,
    }),
  gemini: (url) =>
    googleGenAI(new GoogleGenAI({ apiKey: "test", httpOptions: { baseUrl: url } }), {
      model: "gemini-2.5-flash",
    }),
};

/** The type of a run's last event, when it is the only terminal one. */
function endingOf(events: readonly AGUIEvent[]): EventType | "no single terminal event" {
  const last = events.at(-1);
  return last && isTerminal(last) && events.filter(isTerminal).length === 1
    ? last.type
    : "no single terminal event";
}

function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

describe.each(Object.entries(models))("%s, with a fifth of all requests hit by a fault", (name, modelAt) => {
  it("ends each run in exactly one terminal event, and runs no tool twice for one call", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown) => unhandled.push(reason);
    process.on("unhandledRejection", note);
    const provider = await startFaultyProvider(0.2, 7);
    const executions = new Map<string, number>();
    const count = (key: string) => executions.set(key, (executions.get(key) ?? 0) + 1);
    const counting = (toolName: string, parameters: z.ZodObject) =>
      tool({
        name: toolName,
        description: toolName,
        parameters,
        execute: (_args, { call, input }) => {
          count(`${input?.runId}/${call.id}`);
          return { ok: true };
        },
      });
    const chaotic = agent({
      model: modelAt(provider.url),
      tools: [
        counting("get_weather", z.object({ city: z.string() })),
        counting("roll_dice", z.object({ sides: z.number() })),
      ],
      retry: { delay: 1 },
    });

    const heap: number[] = [];
    const ends = await lastValueFrom(
      range(0, runs).pipe(
        mergeMap((number) => {
          if (soak && number % 100 === 0) heap.push(heapAfterCollection());
          const messages = [{ id: "u", role: "user" as const, content: "Weather and dice" }];
          return chaotic({
            threadId: `t${number}`,
            runId: `r${number}`,
            messages,
            tools: [],
            context: [],
          }).pipe(verify({ profile: "producer" }), toArray(), map(endingOf));
        }, 10),
        toArray(),
      ),
    );
    await provider.stop();
    process.off("unhandledRejection", note);

    expect(ends).toHaveLength(runs);
    expect(ends.filter((end) => end === "no single terminal event")).toEqual([]);
    expect([...executions.values()].every((times) => times === 1)).toBe(true);
    expect(unhandled).toEqual([]);
    const finished = ends.filter((end) => end === EventType.RUN_FINISHED).length;
    expect(finished).toBeGreaterThan(runs / 2);
    if (soak) {
      const share = [...provider.hits].map(([fault, hits]) => `${fault} ${hits}`).join(", ");
      const megabytes = heap.map((bytes) => (bytes / 2 ** 20).toFixed(0)).join(" ");
      process.stdout.write(
        `${name}: ${runs} runs, ${finished} finished, ${executions.size} tools ran; requests: ${share}; heap MB: ${megabytes}\n`,
      );
    }
  }, 120_000);
});
