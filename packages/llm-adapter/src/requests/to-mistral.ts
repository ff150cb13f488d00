import type { ContentPart, ReasoningMessage, WarningOptions } from "@agrx/core";
import { encryptedValueOf } from "../encrypted-values.js";
import { createCallIds } from "./call-ids.js";
import { chatMessages } from "./chat-messages.js";
import { convertParts, urlOf } from "./content.js";
import { functionTools, type FunctionTool } from "./function-tools.js";
import type { ModelRequest } from "./model-request.js";
import { toTranscript } from "./transcript.js";

type MistralPart =
  | { type: "text"; text: string }
  | { type: "image_url"; imageUrl: string }
  | { type: "document_url"; documentUrl: string }
  | { type: "input_audio"; inputAudio: string }
  | { type: "file"; fileId: string };

type MistralThinking = { type: "thinking"; thinking: { type: "text"; text: string }[]; signature: string };

/** A message of a Mistral chat request, in the SDK's words. */
export type MistralRequestMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | MistralPart[] }
  | {
      role: "assistant";
      content: string | (MistralThinking | MistralPart)[];
      toolCalls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
    }
  | { role: "tool"; toolCallId: string; name: string; content: string | MistralPart[] };

/** The parts of a Mistral chat request that {@link toMistral} makes; the SDK's own types take them. */
export interface MistralRequest {
  messages: MistralRequestMessage[];
  tools?: FunctionTool[];
}

// The API refuses ids that are not nine letters or digits.
const callIdRule = { illegal: /[^a-zA-Z0-9]/, maxLength: 9, exact: true };

/**
 * Makes the messages and tools of a Mistral chat request, in the words of `@mistralai/mistralai`.
 *
 * Call ids become nine letters or digits, as the API demands, the same ones every time. Thinking goes back where
 * Mistral signed it. Videos are left out with the warning `part-left-out`.
 *
 * @example
 * ```ts
 * import { toMistral } from "@agrx/llm-adapter";
 *
 * const { messages } = toMistral({ messages: [{ id: "1", role: "user", content: "Hi" }] });
 * console.log(messages.length); // 1
 * ```
 */
export function toMistral(request: ModelRequest, { onWarning }: WarningOptions = {}): MistralRequest {
  const idOf = createCallIds(callIdRule);
  const convert = (content: string | readonly ContentPart[]) =>
    typeof content === "string" ? content : convertParts(content, toPart, "Mistral", onWarning);
  const messages = chatMessages<MistralRequestMessage>(toTranscript(request, onWarning), {
    system: (content) => ({ role: "system", content }),
    user: ({ content }) => ({ role: "user", content: convert(content) }),
    assistant: ({ text, calls, reasoning }) => ({
      role: "assistant",
      content: withThinking(text, reasoning.flatMap(thinkingPart)),
      ...(calls.length === 0
        ? {}
        : {
            toolCalls: calls.map(({ call }) => ({
              id: idOf(call),
              type: "function",
              function: { name: call.function.name, arguments: call.function.arguments || "{}" },
            })),
          }),
    }),
    tool: ({ call, result }) => ({
      role: "tool",
      toolCallId: idOf(call),
      name: call.function.name,
      content: convert(result),
    }),
  });
  return { messages, ...functionTools(request.tools) };
}

function withThinking(text: string, thinking: MistralThinking[]): string | (MistralThinking | MistralPart)[] {
  return thinking.length === 0
    ? text
    : [...thinking, ...(text === "" ? [] : [{ type: "text" as const, text }])];
}

function thinkingPart(message: ReasoningMessage): MistralThinking[] {
  const signature = encryptedValueOf(message, "mistral.signature");
  if (signature === undefined) return [];
  return [{ type: "thinking", thinking: [{ type: "text", text: message.content }], signature }];
}

function toPart(part: ContentPart): MistralPart | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  const { source } = part;
  const url = urlOf(source);
  if (part.type === "document" && source.type === "file") return { type: "file", fileId: source.value };
  if (url === undefined) return undefined;
  if (part.type === "image") return { type: "image_url", imageUrl: url };
  if (part.type === "document") return { type: "document_url", documentUrl: url };
  return part.type === "audio" ? { type: "input_audio", inputAudio: source.value } : undefined;
}
