import type { ContentPart, MessageToolCall, ReasoningMessage, WarningOptions } from "@agrx/core";
import { metadataKeys } from "../metadata-keys.js";
import { createCallIds } from "./call-ids.js";
import { bytesOf, convertParts } from "./content.js";
import { encryptedValueOf } from "../encrypted-values.js";
import { argumentsObject } from "./arguments-object.js";
import { mergeTurns } from "./merge-turns.js";
import type { ModelRequest } from "./model-request.js";
import { parametersSchema, type JsonSchema } from "./parameters-schema.js";
import { toTranscript, type AnsweredCall, type AssistantTurn, type HostedCall } from "./transcript.js";

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

/** A call that Anthropic ran itself, or its result: as it came, and not in the SDK's types for all of its tools. */
type AnthropicHostedBlock = Extract<AnthropicAssistantBlock, { type: "tool_use" }>;

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
 * refuses it. Calls that Anthropic ran itself go back with their results, so that a paused answer goes on.
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
  { reasoning, text, calls, hosted }: AssistantTurn,
  idOf: ReturnType<typeof createCallIds>,
  options: WarningOptions,
): AnthropicRequestMessage[] {
  const content: AnthropicAssistantBlock[] = [
    ...reasoning.flatMap(thinkingBlock),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...hosted.flatMap(hostedBlocks),
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

/** A call of Anthropic's own and its result; one of another provider's says nothing here. */
function hostedBlocks({ call, answer }: HostedCall): AnthropicHostedBlock[] {
  const metadata: Readonly<Record<string, unknown>> = call.metadata ?? {};
  const type = metadata[metadataKeys.anthropicType];
  const server_name = metadata[metadataKeys.anthropicServerName];
  if (typeof type !== "string") return [];
  const id = callIdOf(call);
  const { name } = call.function;
  const use = { type, id, name, input: argumentsObject(call), ...(server_name ? { server_name } : {}) };
  const resultType: unknown = answer?.metadata?.[metadataKeys.anthropicType];
  const isError = type === "mcp_tool_use" && answer?.metadata?.["agrx.isError"] === true;
  const result = answer && {
    type: resultType,
    tool_use_id: id,
    content: valueOf(answer.content),
    ...(isError ? { is_error: true } : {}),
  };
  const blocks = [use, ...(typeof resultType === "string" ? [result] : [])];
  return blocks as unknown as AnthropicHostedBlock[];
}

function callIdOf({ id, metadata }: MessageToolCall): string {
  const original: unknown = metadata?.[metadataKeys.providerCallId];
  return typeof original === "string" ? original : id;
}

/** The value that a result's text stands for: the blocks of a result are sent as JSON. */
function valueOf(content: string | readonly ContentPart[]): unknown {
  if (typeof content !== "string") return content;
  try {
    return JSON.parse(content) as unknown;
  } catch {
    return content;
  }
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
