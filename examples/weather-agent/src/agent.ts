import { agent, type Model } from "@agrx/llm-adapter";
import { agentTools } from "./tools.js";

/** The agent: a model, its tools, and the loop between them. */
export function weatherAgent(model: Model) {
  return agent({
    model,
    tools: agentTools,
    instructions: "You help with the weather and with dice. Use the tools you have; be brief.",
  });
}
