import type { ContentPart, WarningOptions } from "@agrx/core";
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

/** A message of a Chat Completions request. */
export type OpenAIRequestMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | OpenAIPart[]; name?: string }
  | {
      role: "assistant";
      content: string | null;
      name?: string;
      tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
    }
  | { role: "tool"; tool_call_id: string; content: string };

/** The parts of a Chat Completions request that {@link toOpenAI} makes; the SDK's own types take them. */
export interface OpenAIRequest {
  messages: OpenAIRequestMessage[];
  tools?: FunctionTool[];
}

// Longer ids are answered with a 400 that names this limit.
const callIdRule = { illegal: /[^\x21-\x7e]/, maxLength: 40 };

/**
 * Makes the messages and tools of an OpenAI Chat Completions request.
 *
 * Each assistant message is followed by the answers of all its calls, in the order of the calls. A call
 * that was never answered is answered with an error that says so. Media in a tool's result and videos are
 * left out with the warning `part-left-out`: the API takes neither.
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
export function toOpenAI(request: ModelRequest, { onWarning }: WarningOptions = {}): OpenAIRequest {
  const idOf = createCallIds(callIdRule);
  const messages = chatMessages<OpenAIRequestMessage>(toTranscript(request, onWarning), {
    system: (content) => ({ role: "system", content }),
    user: ({ content, name }) => ({
      role: "user",
      content: typeof content === "string" ? content : convertParts(content, toPart, "OpenAI", onWarning),
      ...(name === undefined ? {} : { name }),
    }),
    assistant: ({ text, calls, name }) => ({
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      ...(name === undefined ? {} : { name }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ call }) => ({
              id: idOf(call),
              type: "function",
              function: { name: call.function.name, arguments: call.function.arguments || "{}" },
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
