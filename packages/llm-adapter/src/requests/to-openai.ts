import type { ContentPart, ReasoningMessage, WarningOptions } from "@agrx/core";
import { encryptedValueOf } from "../encrypted-values.js";
import { metadataKeys } from "../metadata-keys.js";
import { createCallIds } from "./call-ids.js";
import { chatMessages } from "./chat-messages.js";
import { convertParts, formatOf, textOf, urlOf } from "./content.js";
import { functionTools, type FunctionTool } from "./function-tools.js";
import type { ModelRequest } from "./model-request.js";
import { toTranscript } from "./transcript.js";

type OpenAIPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "input_audio"; input_audio: { data: string; format: "wav" | "mp3" } }
  | { type: "file"; file: { file_id: string } | { file_data: string; filename: string } };

interface OpenAIRequestCall {
  id: string;
  type: "function";
  function: { name: string; arguments: string };
}

/** A message of a Chat Completions request. */
export type OpenAIRequestMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | OpenAIPart[]; name?: string }
  | {
      role: "assistant";
      content: string | null;
      name?: string;
      tool_calls?: OpenAIRequestCall[];
    }
  | { role: "tool"; tool_call_id: string; content: string };

/** The parts of a Chat Completions request that {@link toOpenAI} makes; the SDK's own types take them. */
export interface OpenAIRequest {
  messages: OpenAIRequestMessage[];
  tools?: FunctionTool[];
}

/** What {@link toOpenAI} takes. */
export interface ToOpenAIOptions extends WarningOptions {
  /**
   * The field in which a compatible server wants its model's reasoning back: `reasoning_content` for DeepSeek and
   * Moonshot, `reasoning_details` for OpenRouter. Default: reasoning is not sent, since OpenAI refuses the field.
   */
  readonly reasoning?: "reasoning_content" | "reasoning" | "reasoning_details";
}

// Longer ids are answered with a 400 that names this limit.
const callIdRule = { illegal: /[^\x21-\x7e]/, maxLength: 40 };

/**
 * Makes the messages and tools of an OpenAI Chat Completions request.
 *
 * Each assistant message is followed by the answers of all its calls, in the order of the calls. A call
 * that was never answered is answered with an error that says so. Media in a tool's result and videos are
 * left out with the warning `part-left-out`: the API takes neither. A signature that Google's OpenAI endpoint
 * gave a call goes back on the call.
 *
 * @param request - messages, tools, context and instructions; a `RunAgentInput` is one
 *
 * @example
 * ```ts
 * import { toOpenAI } from "@agrx/llm-adapter";
 *
 * const { messages } = toOpenAI({ messages: [{ id: "1", role: "user", content: "Hi" }], instructions: "Be brief." });
 * console.log(messages.map((message) => message.role).join()); // system,user
 * ```
 */
export function toOpenAI(request: ModelRequest, options: ToOpenAIOptions = {}): OpenAIRequest {
  const { onWarning } = options;
  const idOf = createCallIds(callIdRule);
  const messages = chatMessages<OpenAIRequestMessage>(toTranscript(request, onWarning), {
    system: (content) => ({ role: "system", content }),
    user: ({ content, name }) => ({
      role: "user",
      content: typeof content === "string" ? content : convertParts(content, toPart, "OpenAI", onWarning),
      ...(name === undefined ? {} : { name }),
    }),
    assistant: ({ text, calls, name, reasoning }) => ({
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      ...reasoningFields(reasoning, options.reasoning),
      ...(name === undefined ? {} : { name }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ call }) => ({
              id: idOf(call),
              type: "function",
              function: { name: call.function.name, arguments: call.function.arguments || "{}" },
              ...signatureFields(call),
            })),
          }),
    }),
    tool: ({ call, result }) => ({
      role: "tool",
      tool_call_id: idOf(call),
      content: textOf(result, "An OpenAI tool message", onWarning),
    }),
  });
  return { messages, ...functionTools(request.tools) };
}

/**
 * The signature of a call where Google's OpenAI endpoint keeps it; the SDK's types do not know the field. A value
 * of no type stays here: too many providers speak these words, and OpenAI refuses the field.
 */
function signatureFields(call: object): object {
  const typed = "encryptedValueType" in call;
  const thought_signature = typed ? encryptedValueOf(call, "openai.thought_signature") : undefined;
  return thought_signature === undefined ? {} : { extra_content: { google: { thought_signature } } };
}

function reasoningFields(
  reasoning: readonly ReasoningMessage[],
  field: ToOpenAIOptions["reasoning"],
): { reasoning_content?: string } {
  if (field === undefined || reasoning.length === 0) return {};
  const value =
    field === "reasoning_details"
      ? reasoning.flatMap(reasoningDetail)
      : reasoning.map(({ content }) => content).join("");
  return value.length === 0 ? {} : { [field]: value };
}

/** OpenRouter's detail, as it came. */
function reasoningDetail(message: ReasoningMessage): object[] {
  const { content, metadata } = message;
  const detail: unknown = metadata?.[metadataKeys.openrouterDetail];
  if (typeof detail !== "object" || detail === null) return [];
  const secret = encryptedValueOf(
    message,
    "openrouter.reasoning.text",
    "openrouter.reasoning.summary",
    "openrouter.reasoning.encrypted",
  );
  const type = "type" in detail ? detail.type : undefined;
  if (type === "reasoning.encrypted") return [{ ...detail, data: secret }];
  const words = { [type === "reasoning.summary" ? "summary" : "text"]: content };
  return [{ ...detail, ...words, ...(secret === undefined ? {} : { signature: secret }) }];
}

const audioFormats: Record<string, "wav" | "mp3"> = { wav: "wav", "x-wav": "wav", mp3: "mp3", mpeg: "mp3" };

function toPart(part: ContentPart): OpenAIPart | undefined {
  if (part.type === "text") return { type: "text", text: part.text };
  const { source } = part;
  const url = urlOf(source);
  const format = formatOf(source) ?? "";
  switch (part.type) {
    case "image":
      return url === undefined ? undefined : { type: "image_url", image_url: { url } };
    case "audio": {
      const audio = audioFormats[format];
      if (source.type !== "data" || audio === undefined) return undefined;
      return { type: "input_audio", input_audio: { data: source.value, format: audio } };
    }
    case "document":
      if (source.type === "file") return { type: "file", file: { file_id: source.value } };
      if (source.type === "url" || url === undefined) return undefined;
      return { type: "file", file: { file_data: url, filename: `document.${format || "bin"}` } };
    default:
      return undefined;
  }
}
