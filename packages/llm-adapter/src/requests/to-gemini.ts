import type { ContentPart, WarningOptions } from "@agrx/core";
import { argumentsObject } from "./arguments-object.js";
import { convertParts, textOf } from "./content.js";
import { encryptedValueOf } from "../encrypted-values.js";
import type { ModelRequest } from "./model-request.js";
import { parametersSchema, reduceSchema, type JsonSchema } from "./parameters-schema.js";
import { toTranscript, type AnsweredCall, type AssistantTurn } from "./transcript.js";

interface GeminiPart {
  text?: string;
  thoughtSignature?: string;
  inlineData?: { mimeType: string; data: string };
  fileData?: { fileUri: string; mimeType?: string };
  functionCall?: { name: string; args: Record<string, unknown> };
  functionResponse?: { name: string; response: Record<string, unknown>; parts?: GeminiMedia[] };
}

type GeminiMedia = Pick<GeminiPart, "inlineData" | "fileData">;

/** A content of a `generateContent` request. */
export interface GeminiRequestContent {
  role: "user" | "model";
  parts: GeminiPart[];
}

/** The parts of a `generateContentStream` request that {@link toGemini} makes; the SDK's own types take them. */
export interface GeminiRequest {
  contents: GeminiRequestContent[];
  config: {
    systemInstruction?: string;
    tools?: {
      functionDeclarations: { name: string; description: string; parametersJsonSchema: JsonSchema }[];
    }[];
  };
}

// The keywords that Gemini's documentation of structured output names for JSON Schema.
const accepted = new Set(
  (
    "$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum " +
    "anyOf oneOf properties additionalProperties required propertyOrdering"
  ).split(" "),
);
const provider = "Gemini";

/**
 * Makes the contents, system instruction and tools of a Gemini `generateContentStream` request.
 *
 * Calls and answers are matched by name and order, as Gemini does it: the answers of one message's calls
 * stand in one content, in the order of the calls. A thought signature goes back on the very call or text it
 * came with. A result that is no JSON object stands under `output`, an error under `error`. Schemas are
 * reduced to the keywords that Gemini accepts.
 *
 * @example
 * ```ts
 * import { toGemini } from "@agrx/llm-adapter";
 *
 * const { contents } = toGemini({ messages: [{ id: "1", role: "user", content: "Hi" }] });
 * console.log(JSON.stringify(contents)); // [{"role":"user","parts":[{"text":"Hi"}]}]
 * ```
 */
export function toGemini(request: ModelRequest, options: WarningOptions = {}): GeminiRequest {
  const { system, turns } = toTranscript(request, options.onWarning);
  const contents = turns
    .flatMap((turn): GeminiRequestContent[] => {
      if (turn.role === "assistant") return assistantContents(turn, options);
      return [{ role: "user", parts: convertParts(turn.content, toPart, provider, options.onWarning) }];
    })
    .filter(({ parts }) => parts.length > 0);
  const functionDeclarations = request.tools?.map((tool) => ({
    name: tool.name,
    description: tool.description,
    parametersJsonSchema: reduceSchema(parametersSchema(tool), accepted),
  }));
  return {
    contents,
    config: {
      ...(system ? { systemInstruction: system } : {}),
      ...(functionDeclarations?.length ? { tools: [{ functionDeclarations }] } : {}),
    },
  };
}

function assistantContents(
  { reasoning, text, calls, message }: AssistantTurn,
  options: WarningOptions,
): GeminiRequestContent[] {
  // The text's own signature, or that of the thoughts before it.
  const signature = [...reasoning, message]
    .map(signatureOf)
    .filter((value) => value !== undefined)
    .at(-1);
  const parts: GeminiPart[] = [];
  if (text !== "" || (signature !== undefined && calls.length === 0)) {
    parts.push({ text, ...(signature === undefined ? {} : { thoughtSignature: signature }) });
  }
  for (const { call } of calls) {
    const thoughtSignature = signatureOf(call);
    parts.push({
      functionCall: { name: call.function.name, args: argumentsObject(call) },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    });
  }
  return [
    { role: "model", parts },
    { role: "user", parts: calls.map((answered) => responsePart(answered, options)) },
  ];
}

function signatureOf(item: object): string | undefined {
  return encryptedValueOf(item, "google.thought_signature", "openai.thought_signature");
}

function responsePart({ call, result, isError }: AnsweredCall, { onWarning }: WarningOptions): GeminiPart {
  const text =
    typeof result === "string"
      ? result
      : textOf(
          result.filter(({ type }) => type === "text"),
          provider,
          undefined,
        );
  const media =
    typeof result === "string"
      ? []
      : convertParts(
          result.filter(({ type }) => type !== "text"),
          toPart,
          provider,
          onWarning,
        );
  return {
    functionResponse: {
      name: call.function.name,
      response: isError ? { error: text } : responseObject(text),
      ...(media.length > 0 ? { parts: media } : {}),
    },
  };
}

function responseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
    return { output: value };
  } catch {
    return { output: text };
  }
}

function toPart(part: ContentPart): GeminiPart | undefined {
  if (part.type === "text") return { text: part.text };
  const { source } = part;
  if (source.type === "data") return { inlineData: { mimeType: source.mimeType, data: source.value } };
  return {
    fileData: {
      fileUri: source.value,
      ...(source.mimeType === undefined ? {} : { mimeType: source.mimeType }),
    },
  };
}
