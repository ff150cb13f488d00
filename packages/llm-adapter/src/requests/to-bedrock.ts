import type { ContentPart, ReasoningMessage, WarningOptions } from "@agrx/core";
import { argumentsObject } from "./arguments-object.js";
import { createCallIds } from "./call-ids.js";
import { bytesOf, convertParts, formatOf } from "./content.js";
import { encryptedValueOf } from "../encrypted-values.js";
import { mergeTurns } from "./merge-turns.js";
import type { ModelRequest } from "./model-request.js";
import { parametersSchema } from "./parameters-schema.js";
import { toTranscript, type AnsweredCall, type AssistantTurn } from "./transcript.js";

type BedrockSource = { bytes: Uint8Array } | { s3Location: { uri: string } };
type ImageFormat = "png" | "jpeg" | "gif" | "webp";
type DocumentFormat = "pdf" | "csv" | "doc" | "docx" | "xls" | "xlsx" | "html" | "txt" | "md";
type VideoFormat = "mkv" | "mov" | "mp4" | "webm" | "flv" | "mpeg" | "mpg" | "wmv" | "three_gp";

type BedrockPart =
  | { text: string }
  | { image: { format: ImageFormat; source: BedrockSource } }
  | { document: { format: DocumentFormat; name: string; source: BedrockSource } }
  | { video: { format: VideoFormat; source: BedrockSource } };

/** JSON, in Bedrock's word. */
type BedrockDocument =
  null | boolean | number | string | BedrockDocument[] | { [key: string]: BedrockDocument };

type BedrockBlock =
  | BedrockPart
  | { toolUse: { toolUseId: string; name: string; input: BedrockDocument } }
  | { toolResult: { toolUseId: string; content: BedrockPart[]; status?: "error" } }
  | { reasoningContent: { reasoningText: { text: string; signature: string } } }
  | { reasoningContent: { redactedContent: Uint8Array } };

/** A message of a Converse request. */
export interface BedrockRequestMessage {
  role: "user" | "assistant";
  content: BedrockBlock[];
}

/** The parts of a ConverseStream request that {@link toBedrock} makes; the SDK's own types take them. */
export interface BedrockRequest {
  system?: { text: string }[];
  messages: BedrockRequestMessage[];
  toolConfig?: {
    tools: { toolSpec: { name: string; description: string; inputSchema: { json: BedrockDocument } } }[];
  };
}

const callIdRule = { illegal: /[^a-zA-Z0-9_-]/, maxLength: 64 };

/**
 * Makes the system prompt, messages and tools of an AWS Bedrock Converse request.
 *
 * The answers of all calls of one assistant message stand first in the one user message that follows, in
 * the order of the calls; neighbours of one role become one message, since roles must alternate.
 * Reasoning goes back with its signature. Bytes go along as bytes, `s3://` addresses as locations; other
 * addresses are left out with the warning `part-left-out`.
 *
 * @example
 * ```ts
 * import { toBedrock } from "@agrx/llm-adapter";
 *
 * const { messages } = toBedrock({ messages: [{ id: "1", role: "user", content: "Hi" }] });
 * console.log(JSON.stringify(messages)); // [{"role":"user","content":[{"text":"Hi"}]}]
 * ```
 */
export function toBedrock(request: ModelRequest, { onWarning }: WarningOptions = {}): BedrockRequest {
  const { system, turns } = toTranscript(request, onWarning);
  const idOf = createCallIds(callIdRule);
  let documents = 0;
  const convert = (content: string | readonly ContentPart[]) =>
    convertParts(content, (part) => toPart(part, () => `document-${++documents}`), "Bedrock", onWarning);
  const messages = turns.flatMap((turn): BedrockRequestMessage[] =>
    turn.role === "user"
      ? [{ role: "user", content: convert(turn.content) }]
      : [
          { role: "assistant", content: assistantBlocks(turn, idOf) },
          { role: "user", content: turn.calls.map((answered) => resultBlock(answered, idOf, convert)) },
        ],
  );
  const tools = request.tools?.map((tool) => ({
    toolSpec: {
      name: tool.name,
      description: tool.description,
      inputSchema: { json: parametersSchema(tool) as BedrockDocument },
    },
  }));
  return {
    ...(system ? { system: [{ text: system }] } : {}),
    messages: mergeTurns(messages),
    ...(tools?.length ? { toolConfig: { tools } } : {}),
  };
}

function assistantBlocks(
  { reasoning, text, calls }: AssistantTurn,
  idOf: ReturnType<typeof createCallIds>,
): BedrockBlock[] {
  return [
    ...reasoning.flatMap(reasoningBlock),
    ...(text === "" ? [] : [{ text }]),
    ...calls.map(({ call }) => ({
      toolUse: {
        toolUseId: idOf(call),
        name: call.function.name,
        input: argumentsObject(call) as BedrockDocument,
      },
    })),
  ];
}

function reasoningBlock(message: ReasoningMessage): BedrockBlock[] {
  const redacted = encryptedValueOf(message, "bedrock.redacted_content");
  if (redacted !== undefined && message.content === "") {
    return [{ reasoningContent: { redactedContent: bytesOf(redacted) } }];
  }
  const signature = encryptedValueOf(message, "bedrock.signature");
  if (signature === undefined) return [];
  return [{ reasoningContent: { reasoningText: { text: message.content, signature } } }];
}

function resultBlock(
  { call, result, isError }: AnsweredCall,
  idOf: ReturnType<typeof createCallIds>,
  convert: (content: string | readonly ContentPart[]) => BedrockPart[],
): BedrockBlock {
  const content = convert(result);
  return { toolResult: { toolUseId: idOf(call), content, ...(isError ? { status: "error" } : {}) } };
}

const imageFormats = new Set(["png", "jpeg", "gif", "webp"]);
const videoFormats = new Set(["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"]);
const documentFormats: Record<string, DocumentFormat> = {
  pdf: "pdf",
  csv: "csv",
  msword: "doc",
  "vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "vnd.ms-excel": "xls",
  "vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  html: "html",
  plain: "txt",
  markdown: "md",
};

function toPart(part: ContentPart, nextName: () => string): BedrockPart | undefined {
  if (part.type === "text") return { text: part.text };
  const source = sourceOf(part.source);
  const format = formatOf(part.source) ?? "";
  if (source === undefined) return undefined;
  if (part.type === "image" && imageFormats.has(format))
    return { image: { format: format as ImageFormat, source } };
  if (part.type === "video" && videoFormats.has(format))
    return { video: { format: format as VideoFormat, source } };
  const document = documentFormats[format];
  if (part.type !== "document" || document === undefined) return undefined;
  return { document: { format: document, name: nextName(), source } };
}

function sourceOf(source: Exclude<ContentPart, { type: "text" }>["source"]): BedrockSource | undefined {
  if (source.type === "data") return { bytes: bytesOf(source.value) };
  return source.value.startsWith("s3://") ? { s3Location: { uri: source.value } } : undefined;
}
