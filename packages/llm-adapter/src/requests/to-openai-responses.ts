import type { ContentPart, ReasoningMessage, WarningOptions } from "@agrx/core";
import { metadataKeys } from "../metadata-keys.js";
import { createCallIds } from "./call-ids.js";
import { convertParts, formatOf, urlOf } from "./content.js";
import { encryptedValueOf } from "../encrypted-values.js";
import type { ModelRequest } from "./model-request.js";
import { parametersSchema, type JsonSchema } from "./parameters-schema.js";
import { toTranscript, type AnsweredCall, type AssistantTurn } from "./transcript.js";

type ResponsesPart =
  | { type: "input_text"; text: string }
  | { type: "input_image"; detail: "auto"; image_url: string }
  | { type: "input_image"; detail: "auto"; file_id: string }
  | { type: "input_file"; file_id: string }
  | { type: "input_file"; file_url: string }
  | { type: "input_file"; file_data: string; filename: string };

/** An input item of a Responses request. */
export type OpenAIResponsesRequestItem =
  | { role: "user"; content: string | ResponsesPart[] }
  | { role: "assistant"; content: string; phase?: "commentary" | "final_answer" }
  | {
      type: "reasoning";
      id: string;
      summary: { type: "summary_text"; text: string }[];
      encrypted_content: string;
    }
  | { type: "function_call"; call_id: string; name: string; arguments: string }
  | { type: "function_call_output"; call_id: string; output: string | ResponsesPart[] };

/** The parts of a Responses request that {@link toOpenAIResponses} makes; the SDK's own types take them. */
export interface OpenAIResponsesRequest {
  instructions?: string;
  input: OpenAIResponsesRequestItem[];
  tools?: { type: "function"; name: string; description: string; parameters: JsonSchema; strict: boolean }[];
}

const callIdRule = { illegal: /[^a-zA-Z0-9_-]/, maxLength: 64 };
const provider = "OpenAI Responses";

/**
 * Makes the instructions, input items and tools of an OpenAI Responses request.
 *
 * Encrypted reasoning goes back before the message or call that followed it; reasoning without an
 * encrypted value is left out, since the API takes back only what it can check. Calls and their outputs
 * follow one another, all calls of one message first.
 *
 * @example
 * ```ts
 * import { toOpenAIResponses } from "@agrx/llm-adapter";
 *
 * const { input } = toOpenAIResponses({ messages: [{ id: "1", role: "user", content: "Hi" }] });
 * console.log(JSON.stringify(input)); // [{"role":"user","content":"Hi"}]
 * ```
 */
export function toOpenAIResponses(
  request: ModelRequest,
  options: WarningOptions = {},
): OpenAIResponsesRequest {
  const { onWarning } = options;
  const { system, turns } = toTranscript(request, onWarning);
  const idOf = createCallIds(callIdRule);
  const input = turns.flatMap((turn): OpenAIResponsesRequestItem[] => {
    if (turn.role === "assistant") return assistantItems(turn, idOf, options);
    const { content } = turn;
    return [
      {
        role: "user",
        content: typeof content === "string" ? content : convertParts(content, toPart, provider, onWarning),
      },
    ];
  });
  const tools = request.tools?.map((tool) => ({
    type: "function" as const,
    name: tool.name,
    description: tool.description,
    parameters: parametersSchema(tool),
    strict: false,
  }));
  return { ...(system ? { instructions: system } : {}), input, ...(tools?.length ? { tools } : {}) };
}

function assistantItems(
  { reasoning, text, calls, message }: AssistantTurn,
  idOf: ReturnType<typeof createCallIds>,
  options: WarningOptions,
): OpenAIResponsesRequestItem[] {
  const phase: unknown = message.metadata?.[metadataKeys.openaiPhase];
  const phased = phase === "commentary" || phase === "final_answer" ? { phase: phase as "commentary" } : {};
  return [
    ...reasoningItems(reasoning),
    ...(text === "" ? [] : [{ role: "assistant" as const, content: text, ...phased }]),
    ...calls.map(({ call }) => ({
      type: "function_call" as const,
      call_id: idOf(call),
      name: call.function.name,
      arguments: call.function.arguments || "{}",
    })),
    ...calls.map((answered) => outputItem(answered, idOf, options)),
  ];
}

/** The reasoning that can go back, item by item: the parts of an item's summary came as messages of their own. */
function reasoningItems(reasoning: readonly ReasoningMessage[]): OpenAIResponsesRequestItem[] {
  const items = new Map<string, ReasoningMessage[]>();
  for (const message of reasoning) {
    const itemId: unknown = message.metadata?.[metadataKeys.openaiItemId];
    const id = typeof itemId === "string" ? itemId : `rs_${message.id}`;
    items.set(id, [...(items.get(id) ?? []), message]);
  }
  return [...items].flatMap(([id, messages]) => {
    const encrypted = messages
      .map((message) => encryptedValueOf(message, "openai.encrypted_content"))
      .filter((value) => value !== undefined)
      .at(-1);
    if (encrypted === undefined) return [];
    const texts = messages.map(({ content }) => content).filter((text) => text !== "");
    const summary = texts.map((text) => ({ type: "summary_text" as const, text }));
    return [{ type: "reasoning" as const, id, summary, encrypted_content: encrypted }];
  });
}

function outputItem(
  { call, result }: AnsweredCall,
  idOf: ReturnType<typeof createCallIds>,
  { onWarning }: WarningOptions,
): OpenAIResponsesRequestItem {
  const output = typeof result === "string" ? result : convertParts(result, toPart, provider, onWarning);
  return { type: "function_call_output", call_id: idOf(call), output };
}

function toPart(part: ContentPart): ResponsesPart | undefined {
  if (part.type === "text") return { type: "input_text", text: part.text };
  const { source } = part;
  if (part.type === "image") {
    if (source.type === "file") return { type: "input_image", detail: "auto", file_id: source.value };
    return { type: "input_image", detail: "auto", image_url: urlOf(source)! };
  }
  if (part.type !== "document") return undefined;
  if (source.type === "file") return { type: "input_file", file_id: source.value };
  if (source.type === "url") return { type: "input_file", file_url: source.value };
  return { type: "input_file", file_data: urlOf(source)!, filename: `document.${formatOf(source) ?? "bin"}` };
}
