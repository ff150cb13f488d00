import type { Tool } from "@agrx/core";
import { parametersSchema, type JsonSchema } from "./parameters-schema.js";

/** A tool in the shape that OpenAI's Chat Completions set and others took over. */
export interface FunctionTool {
  type: "function";
  function: { name: string; description: string; parameters: JsonSchema };
}

/** The tools of a request in the function shape; none gives nothing, since some APIs refuse an empty list. */
export function functionTools(tools: readonly Tool[] = []): { tools?: FunctionTool[] } {
  if (tools.length === 0) return {};
  return {
    tools: tools.map((tool) => ({
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: parametersSchema(tool) },
    })),
  };
}
