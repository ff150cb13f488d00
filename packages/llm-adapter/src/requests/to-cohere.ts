import type { ContentPart, ReasoningMessage, WarningOptions } from "@agrx/core";
import { metadataKeys } from "../metadata-keys.js";
import { createCallIds } from "./call-ids.js";
import { chatMessages } from "./chat-messages.js";
import { convertParts, textOf, urlOf } from "./content.js";
import { functionTools, type FunctionTool } from "./function-tools.js";
import type { ModelRequest } from "./model-request.js";
import { toTranscript } from "./transcript.js";

type CoherePart = { type: "text"; text: string } | { type: "image_url"; imageUrl: { url: string } };

/** A message of a Cohere v2 chat request, in the SDK's words. */
export type CohereRequestMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | CoherePart[] }
  | {
      role: "assistant";
      content?: string;
      toolPlan?: string;
      toolCalls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
    }
  | { role: "tool"; toolCallId: string; content: string };

/** The parts of a Cohere v2 chat request that {@link toCohere} makes; the SDK's own types take them. */
export interface CohereRequest {
  messages: CohereRequestMessage[];
  tools?: FunctionTool[];
}

const callIdRule = { illegal: /[^\x21-\x7e]/, maxLength: 64 };

/**
 * Makes the messages and tools of a Cohere v2 chat request, in the words of `cohere-ai`.
 *
 * The plan of its calls goes back as the message's `toolPlan`; text that another model said with calls takes that
 * place where there is no plan, since Cohere keeps it there. Media other than
 * images, and all media in a tool's result, are left out with the warning `part-left-out`.
 *
 * @example
 * ```ts
 * import { toCohere } from "@agrx/llm-adapter";
 *
 * const { messages } = toCohere({ messages: [{ id: "1", role: "user", content: "Hi" }] });
 * console.log(messages.length); // 1
 * ```
 */
export function toCohere(request: ModelRequest, { onWarning }: WarningOptions = {}): CohereRequest {
  const idOf = createCallIds(callIdRule);
  const messages = chatMessages<CohereRequestMessage>(toTranscript(request, onWarning), {
    system: (content) => ({ role: "system", content }),
    user: ({ content }) => ({
      role: "user",
      content: typeof content === "string" ? content : convertParts(content, toPart, "Cohere", onWarning),
    }),
    assistant: ({ text, calls, reasoning }) => {
      if (calls.length === 0) return { role: "assistant", content: text };
      const plan = reasoning.map(planOf).join("");
      return {
        role: "assistant",
        ...(plan === "" ? {} : { toolPlan: plan }),
        ...(text === "" ? {} : { [plan === "" ? "toolPlan" : "content"]: text }),
        toolCalls: calls.map(({ call }) => ({
          id: idOf(call),
          type: "function",
          function: { name: call.function.name, arguments: call.function.arguments || "{}" },
        })),
      };
    },
    tool: ({ call, result }) => ({
      role: "tool",
      toolCallId: idOf(call),
      content: textOf(result, "A Cohere tool message", onWarning),
    }),
  });
  return { messages, ...functionTools(request.tools) };
}

function planOf({ content, metadata }: ReasoningMessage): string {
  return metadata?.[metadataKeys.cohereToolPlan] === true ? content : "";
}

function toPart(part: ContentPart): CoherePart | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  const url = urlOf(part.source);
  return part.type === "image" && url !== undefined ? { type: "image_url", imageUrl: { url } } : undefined;
}
