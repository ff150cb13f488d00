import type { ContentPart, WarningOptions } from "@agrx/core";
import { argumentsObject } from "./arguments-object.js";
import { chatMessages } from "./chat-messages.js";
import { textOf } from "./content.js";
import { functionTools, type FunctionTool } from "./function-tools.js";
import type { ModelRequest } from "./model-request.js";
import { toTranscript } from "./transcript.js";

/** A message of an Ollama chat request. */
export interface OllamaRequestMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string;
  thinking?: string;
  images?: string[];
  tool_calls?: { function: { name: string; arguments: Record<string, unknown> } }[];
  tool_name?: string;
}

/** The parts of an Ollama chat request that {@link toOllama} makes; the SDK's own types take them. */
export interface OllamaRequest {
  messages: OllamaRequestMessage[];
  tools?: FunctionTool[];
}

/**
 * Makes the messages and tools of an Ollama chat request.
 *
 * Ollama knows calls by name and order, not by id: answers follow their message in the order of its
 * calls, each with its `tool_name`. Inline images go along, in results too; other media are left out with
 * the warning `part-left-out`. Thinking goes back as it came.
 *
 * @example
 * ```ts
 * import { toOllama } from "@agrx/llm-adapter";
 *
 * const { messages } = toOllama({ messages: [{ id: "1", role: "user", content: "Hi" }] });
 * console.log(JSON.stringify(messages)); // [{"role":"user","content":"Hi"}]
 * ```
 */
export function toOllama(request: ModelRequest, { onWarning }: WarningOptions = {}): OllamaRequest {
  const said = (content: string | readonly ContentPart[]) => {
    if (typeof content === "string") return { content };
    const images = content.flatMap((part) => inlineImage(part) ?? []);
    const rest = content.filter((part) => inlineImage(part) === undefined);
    return { content: textOf(rest, "Ollama", onWarning), ...(images.length > 0 ? { images } : {}) };
  };
  const messages = chatMessages<OllamaRequestMessage>(toTranscript(request, onWarning), {
    system: (content) => ({ role: "system", content }),
    user: ({ content }) => ({ role: "user", ...said(content) }),
    assistant: ({ text, reasoning, calls }) => {
      const thinking = reasoning.map((message) => message.content).join("");
      return {
        role: "assistant",
        content: text,
        ...(thinking === "" ? {} : { thinking }),
        ...(calls.length === 0
          ? {}
          : {
              tool_calls: calls.map(({ call }) => ({
                function: { name: call.function.name, arguments: argumentsObject(call) },
              })),
            }),
      };
    },
    tool: ({ call, result }) => ({ role: "tool", tool_name: call.function.name, ...said(result) }),
  });
  return { messages, ...functionTools(request.tools) };
}

function inlineImage(part: ContentPart): string | undefined {
  return part.type === "image" && part.source.type === "data" ? part.source.value : undefined;
}
