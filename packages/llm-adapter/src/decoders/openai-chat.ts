import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { createChatContentReader } from "./chat-content.js";
import { readChatUsage, type ChatUsage } from "./chat-usage.js";
import { encryptedFields } from "../encrypted-values.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { providerFailure } from "./provider-failure.js";

/** A chunk of OpenAI's chat completions, as far as it is read; the SDK's `ChatCompletionChunk` is one. */
export interface OpenAIChatChunk {
  readonly id?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly choices?: readonly OpenAIChatChoice[] | null | undefined;
  readonly usage?: ChatUsage | null | undefined;
}

/** One choice of an {@link OpenAIChatChunk}. */
export interface OpenAIChatChoice {
  readonly index?: number | null | undefined;
  readonly delta?: OpenAIChatDelta | null | undefined;
  readonly finish_reason?: string | null | undefined;
  readonly logprobs?: object | null | undefined;
}

/** What a choice adds to the answer. */
export interface OpenAIChatDelta {
  readonly content?: string | readonly object[] | null | undefined;
  readonly refusal?: string | null | undefined;
  readonly tool_calls?: readonly OpenAIChatToolCall[] | null | undefined;
  readonly function_call?: OpenAIChatFunction | null | undefined;
}

/** A part of a tool call, as the choice's delta gives it. */
export interface OpenAIChatToolCall {
  readonly index?: number | null | undefined;
  readonly id?: string | number | null | undefined;
  readonly type?: string | null | undefined;
  readonly function?: OpenAIChatFunction | null | undefined;
}

/** Name and arguments of a function, or a fragment of them. */
export interface OpenAIChatFunction {
  readonly name?: string | null | undefined;
  readonly arguments?: string | object | null | undefined;
}

/** What {@link openaiChat} takes. */
export interface OpenAIChatOptions extends DecoderOptions {
  /** Which choice of an answer with several (`n` above 1) is read. Default: 0. */
  readonly choice?: number;
}

/**
 * Reads the chunks of OpenAI's chat completions, and of the many servers that speak them.
 *
 * In: chunks, from the wire or from the SDK's stream. Out: deltas, synchronously. Completes with the source; a
 * provider's error is an error delta. Calls end at a finish, or at the end of the stream when their text is
 * a whole object or array.
 *
 * ```text
 * chunks  --h--a--a--f--|      h: a call's head, a: arguments, f: finish_reason
 * deltas  -----S--a--E--|      S: start and the first arguments, E: end and finish
 * ```
 *
 * @example
 * ```ts
 * import { openaiChat, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * const part = (call: object) => ({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] });
 * of(
 *   part({ id: "call_1", function: { name: "get_weather", arguments: '{"city":' } }),
 *   part({ function: { arguments: '"Seoul"}' } }),
 *   { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
 * )
 *   .pipe(openaiChat(), toToolCalls())
 *   .subscribe((call) => console.log(call.name, call.args)); // get_weather { city: 'Seoul' }
 * ```
 */
export function openaiChat(options?: OpenAIChatOptions): OperatorFunction<OpenAIChatChunk, Delta> {
  return stateful(() => createOpenAIChatDecoder(options));
}

/** The machine of {@link openaiChat}. */
export function createOpenAIChatDecoder(options: OpenAIChatOptions = {}): Machine<OpenAIChatChunk, Delta> {
  return createDecoder<OpenAIChatChunk>(
    {
      name: "openaiChat",
      provider: "openai",
      reader: (context) => createReader(context, options.choice ?? 0),
    },
    options,
  );
}

/** What OpenAI's types leave out, and servers send. */
interface LooseChunk extends Omit<OpenAIChatChunk, "choices"> {
  readonly choices?: readonly LooseChoice[] | null;
  readonly object?: unknown;
  readonly error?: unknown;
  /** Perplexity: the pages that the answer cites by their number; the same on every chunk. */
  readonly citations?: unknown;
  readonly search_results?: unknown;
  /** MiniMax says here what went wrong; 0 is nothing. */
  readonly base_resp?: { readonly status_code?: number; readonly status_msg?: string } | null;
  /** Groq, before it had `usage`. */
  readonly x_groq?: { readonly usage?: ChatUsage | null } | null;
}

interface LooseChoice extends Omit<OpenAIChatChoice, "delta"> {
  readonly delta?: LooseDelta | null;
  /** A server that does not stream sends the whole message. */
  readonly message?: LooseDelta | null;
  /** Moonshot counts here, on the last chunk. */
  readonly usage?: ChatUsage | null;
  readonly error?: unknown;
}

interface LooseDelta extends Omit<OpenAIChatDelta, "tool_calls"> {
  readonly tool_calls?: readonly LooseToolCall[] | LooseToolCall | null;
  /** DeepSeek, Qwen, xAI, older vLLM. */
  readonly reasoning_content?: unknown;
  /** OpenRouter, Groq, Ollama, newer vLLM. */
  readonly reasoning?: unknown;
  readonly reasoning_details?: unknown;
  readonly annotations?: unknown;
  readonly audio?: unknown;
  readonly images?: unknown;
  /** Groq's own tools. */
  readonly executed_tools?: unknown;
}

interface LooseToolCall extends OpenAIChatToolCall {
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly custom?: { readonly name?: unknown; readonly input?: unknown } | null;
  readonly extra_content?: { readonly google?: { readonly thought_signature?: unknown } | null } | null;
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  eos_token: "stop",
  stop_sequence: "stop",
  end_turn: "stop",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  tool_calls: "tool-calls",
  tool_call: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  sensitive: "content-filter",
  error: "error",
  // The server gave up: vLLM and SGLang, DeepSeek, Zhipu.
  abort: "error",
  insufficient_system_resource: "error",
  network_error: "error",
};

// Known, and without meaning for an answer: what nobody needs is no unknown part.
const chunkFields = new Set(
  "id object created model choices usage error citations search_results system_fingerprint service_tier obfuscation moderation prompt_filter_results timings base_resp x_groq provider num_sources_used".split(
    " ",
  ),
);
const choiceFields = new Set(
  "index delta message usage finish_reason native_finish_reason logprobs error content_filter_results content_filter_offsets content_filter_result stop_reason matched_stop token_ids".split(
    " ",
  ),
);
const deltaFields = new Set(
  "role content refusal tool_calls function_call reasoning_content reasoning reasoning_details annotations audio images executed_tools obfuscation index".split(
    " ",
  ),
);
const callFields = new Set("index id type function custom name arguments extra_content".split(" "));

function createReader(context: DecoderContext, chosen: number): ChunkReader<OpenAIChatChunk> {
  const { calls } = context;
  const content = createChatContentReader(context);
  let answerId: string | null | undefined;
  let model: string | null | undefined;
  let streamed = false;
  let cited: string | undefined;

  const readCall = (part: LooseToolCall, emit: EmitDelta) => {
    if (context.curious) context.unknownFields("choices.0.delta.tool_calls.0", part, callFields);
    const { index, id, custom, extra_content } = part;
    const named = part.function ?? part;
    const text = custom ? custom.input : named.arguments;
    const name = custom ? custom.name : named.name;
    if (!id && !name && !extra_content && typeof index === "number" && typeof text === "string") {
      if (calls.fragment(index, text, emit)) return;
    }
    calls.part(
      {
        slot: index,
        id,
        name,
        text,
        index: index ?? undefined,
        custom: Boolean(custom) || part.type === "custom",
        ...encryptedFields(extra_content?.google?.thought_signature, "openai.thought_signature"),
      },
      emit,
    );
  };

  const readLegacyCall = ({ name, arguments: text }: OpenAIChatFunction, emit: EmitDelta) => {
    // An empty stub comes beside real calls (CangShui/workbuddy-gateway#3).
    if (name || text) calls.part({ slot: "function_call", name, text }, emit);
  };

  const readDelta = (delta: LooseDelta, choice: LooseChoice, emit: EmitDelta) => {
    const { reasoning_content, reasoning, reasoning_details, refusal, annotations, tool_calls } = delta;
    if (reasoning_content || reasoning || reasoning_details) {
      content.reasoning(reasoning_content, reasoning, reasoning_details, emit);
    }
    if (delta.content) content.text(delta.content, choice.logprobs, emit);
    if (refusal) emit({ type: "text", text: refusal, key: "refusal", refusal: true });
    if (annotations) content.annotations(annotations, emit);
    if (tool_calls) {
      if (isList(tool_calls)) for (const part of tool_calls) readCall(part, emit);
      else readCall(tool_calls, emit);
    }
    if (delta.function_call) readLegacyCall(delta.function_call, emit);
    if (delta.audio) emit({ type: "custom", name: `${context.provider}.audio`, value: delta.audio });
    if (delta.images) emit({ type: "custom", name: `${context.provider}.images`, value: delta.images });
    if (delta.executed_tools) {
      emit({ type: "custom", name: `${context.provider}.executed_tools`, value: delta.executed_tools });
    }
    if (context.curious) context.unknownFields("choices.0.delta", delta, deltaFields);
  };

  const readChoice = (choice: LooseChoice, emit: EmitDelta) => {
    if ((choice.index ?? 0) !== chosen) return;
    if (choice.delta) {
      streamed = true;
      readDelta(choice.delta, choice, emit);
    } else if (choice.message && !streamed) {
      // A message beside deltas is what they have already said; alone it is the answer.
      readDelta(choice.message, choice, emit);
    }
    if (choice.usage) readUsage(choice.usage, emit);
    if (context.curious) context.unknownFields("choices.0", choice, choiceFields);
    if (choice.error && isError(choice.error)) {
      context.fail(providerFailure(choice.error, context.provider), emit);
    } else if (choice.finish_reason) {
      context.finish(
        readFinishReason(choice.finish_reason, finishReasons) ?? "other",
        choice.finish_reason,
        emit,
      );
    }
  };

  const readUsage = (usage: ChatUsage, emit: EmitDelta) => {
    emit({ type: "usage", usage: readChatUsage(usage, context.provider, model ?? undefined) });
  };

  const readSources = ({ citations, search_results }: LooseChunk, emit: EmitDelta) => {
    const found = JSON.stringify([citations, search_results]);
    if (found !== cited) content.cite(citations, search_results, emit);
    cited = found;
  };

  const readError = (chunk: LooseChunk, emit: EmitDelta) => {
    const { error, object, base_resp } = chunk;
    if (isError(error)) context.fail(providerFailure(error, context.provider), emit);
    else if (base_resp?.status_code) {
      const { status_code: code, status_msg: message } = base_resp;
      context.fail(providerFailure({ code, message }, context.provider), emit);
    } else if (object === "error") context.fail(providerFailure(chunk, context.provider), emit);
  };

  return {
    get anonymous() {
      return !answerId && !model;
    },
    get answerId() {
      return answerId ?? undefined;
    },
    push(given, emit) {
      const chunk = given as LooseChunk;
      answerId ||= chunk.id;
      model ||= chunk.model;
      const { choices } = chunk;
      if (choices) for (const choice of choices) readChoice(choice, emit);
      const usage = chunk.usage ?? chunk.x_groq?.usage;
      if (usage) readUsage(usage, emit);
      if (chunk.citations || chunk.search_results) readSources(chunk, emit);
      if (chunk.error || chunk.base_resp || !choices) readError(chunk, emit);
      if (context.curious) context.unknownFields("", chunk, chunkFields);
    },
  };
}

function isList<T>(value: readonly T[] | T): value is readonly T[] {
  return Array.isArray(value);
}

function isError(error: unknown): boolean {
  return typeof error === "object" ? error !== null && Object.keys(error).length > 0 : Boolean(error);
}
