import type { ContentPart, ReasoningMessage, WarningOptions } from "@agrx/core";
import { createCallIds } from "./call-ids.js";
import { bytesOf, convertParts } from "./content.js";
import { encryptedValueOf } from "../encrypted-values.js";
import { argumentsObject } from "./arguments-object.js";
import { mergeTurns } from "./merge-turns.js";
import type { ModelRequest } from "./model-request.js";
import { parametersSchema, type JsonSchema } from "./parameters-schema.js";
import { toTranscript, type AnsweredCall, type AssistantTurn } from "./transcript.js";

type ImageMediaType = "image/jpeg" | "image/png" | "image/gif" | "image/webp";

type AnthropicPart =
  | { type: "text"; text: string }
  | {
      type: "image";
      source: { type: "base64"; media_type: ImageMediaType; data: string } | { type: "url"; url: string };
    }
  | {
      type: "document";
      source:
        | { type: "base64"; media_type: "application/pdf"; data: string }
        | { type: "text"; media_type: "text/plain"; data: string }
        | { type: "url"; url: string };
    };

type AnthropicUserBlock =
  AnthropicPart | { type: "tool_result"; tool_use_id: string; content: AnthropicPart[]; is_error?: true };

type AnthropicAssistantBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: unknown };

/** A message of a Messages request. */
export type AnthropicRequestMessage =
  { role: "user"; content: AnthropicUserBlock[] } | { role: "assistant"; content: AnthropicAssistantBlock[] };

/** The parts of a Messages request that {@link toAnthropic} makes; the SDK's own types take them. */
export interface AnthropicRequest {
  system?: string;
  messages: AnthropicRequestMessage[];
  tools?: { name: string; description: string; input_schema: JsonSchema & { type: "object" } }[];
}

const callIdRule = { illegal: /[^a-zA-Z0-9_-]/, maxLength: 64 };
const provider = "Anthropic Messages";

/**
 * Makes the system prompt, messages and tools of an Anthropic Messages request.
 *
 * The answers of all calls of one assistant message stand first in the one user message that follows,
 * in the order of the calls; neighbours of one role become one message. Thinking goes back with its
 * signature and redacted thinking as it came; thinking without a signature is left out, since the API
 * refuses it.
 *
 * @example
 * ```ts
 * import { toAnthropic } from "@agrx/llm-adapter";
 *
 * const { system, messages } = toAnthropic({
 *   instructions: "Be brief.",
 *   messages: [{ id: "1", role: "user", content: "Hi" }],
 * });
 * console.log(system, messages.length); // Be brief. 1
 * ```
 */
export function toAnthropic(request: ModelRequest, options: WarningOptions = {}): AnthropicRequest {
  const { system, turns } = toTranscript(request, options.onWarning);
  const idOf = createCallIds(callIdRule);
  const messages = turns.flatMap((turn): AnthropicRequestMessage[] => {
    if (turn.role === "assistant") return assistantMessages(turn, idOf, options);
    return [{ role: "user", content: convertParts(turn.content, toPart, provider, options.onWarning) }];
  });
  const tools = request.tools?.map((tool) => ({
    name: tool.name,
    description: tool.description,
    input_schema: { ...parametersSchema(tool), type: "object" as const },
  }));
  return {
    ...(system ? { system } : {}),
    messages: mergeTurns(messages),
    ...(tools?.length ? { tools } : {}),
  };
}

function assistantMessages(
  { reasoning, text, calls }: AssistantTurn,
  idOf: ReturnType<typeof createCallIds>,
  options: WarningOptions,
): AnthropicRequestMessage[] {
  const content: AnthropicAssistantBlock[] = [
    ...reasoning.flatMap(thinkingBlock),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ call }) => ({
      type: "tool_use" as const,
      id: idOf(call),
      name: call.function.name,
      input: argumentsObject(call),
    })),
  ];
  const results = calls.map((answered) => resultBlock(answered, idOf, options));
  return [
    { role: "assistant", content },
    { role: "user", content: results },
  ];
}

function thinkingBlock(message: ReasoningMessage): AnthropicAssistantBlock[] {
  const redacted = encryptedValueOf(message, "anthropic.redacted_thinking");
  if (redacted !== undefined && message.content === "")
    return [{ type: "redacted_thinking", data: redacted }];
  const signature = encryptedValueOf(message, "anthropic.signature");
  return signature === undefined ? [] : [{ type: "thinking", thinking: message.content, signature }];
}

function resultBlock(
  { call, result, isError }: AnsweredCall,
  idOf: ReturnType<typeof createCallIds>,
  { onWarning }: WarningOptions,
): AnthropicUserBlock {
  return {
    type: "tool_result",
    tool_use_id: idOf(call),
    content: convertParts(result, toPart, provider, onWarning),
    ...(isError ? { is_error: true } : {}),
  };
}

const imageTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

function toPart(part: ContentPart): AnthropicPart | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  const { source } = part;
  if (part.type === "image") {
    if (source.type === "url") return { type: "image", source: { type: "url", url: source.value } };
    if (source.type !== "data" || !imageTypes.includes(source.mimeType)) return undefined;
    const media_type = source.mimeType as ImageMediaType;
    return { type: "image", source: { type: "base64", media_type, data: source.value } };
  }
  if (part.type !== "document") return undefined;
  if (source.type === "url") return { type: "document", source: { type: "url", url: source.value } };
  if (source.type !== "data") return undefined;
  if (source.mimeType === "application/pdf") {
    return {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: source.value },
    };
  }
  if (!source.mimeType.startsWith("text/")) return undefined;
  const data = new TextDecoder().decode(bytesOf(source.value));
  return { type: "document", source: { type: "text", media_type: "text/plain", data } };
}
