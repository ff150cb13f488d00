import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { providerFailure } from "./provider-failure.js";
import { sumOf, tokenUsage } from "./token-count.js";

/** A line of Ollama's `/api/chat`; the SDK's `ChatResponse` is one. */
export interface OllamaChunk {
  readonly model?: string | undefined;
  readonly message?: OllamaChunkMessage | undefined;
  readonly done?: boolean | undefined;
  readonly done_reason?: string | undefined;
  readonly prompt_eval_count?: number | undefined;
  readonly eval_count?: number | undefined;
}

/** What a line adds to the answer. */
export interface OllamaChunkMessage {
  readonly content?: string | undefined;
  readonly thinking?: string | undefined;
  readonly tool_calls?: readonly OllamaToolCall[] | undefined;
}

/** A call: always whole. */
export interface OllamaToolCall {
  readonly function: {
    readonly name: string;
    readonly arguments?: object | undefined;
  };
}

/**
 * Reads the lines of Ollama's `/api/chat`.
 *
 * In: lines as JSON, or the SDK's chunks. Out: deltas, synchronously. Completes with the source; a line with
 * an `error` is an error delta. Calls come whole, without ids on older servers: each is a call of its own,
 * even with the same name and index (BerriAI/litellm#37792).
 *
 * ```text
 * chunks  --t--c--d--|      t: text, c: a line with a call, d: done
 * deltas  --T-SAE-F--|
 * ```
 *
 * @example
 * ```ts
 * import { ollama, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * of(
 *   { message: { tool_calls: [{ function: { name: "roll_dice", arguments: { sides: 6 } } }] }, done: false },
 *   { message: { content: "" }, done: true, done_reason: "stop" },
 * )
 *   .pipe(ollama(), toToolCalls())
 *   .subscribe((call) => console.log(call.name, call.arguments)); // roll_dice {"sides":6}
 * ```
 */
export function ollama(options?: DecoderOptions): OperatorFunction<OllamaChunk, Delta> {
  return stateful(() => createOllamaDecoder(options));
}

/** The machine of {@link ollama}. */
export function createOllamaDecoder(options: DecoderOptions = {}): Machine<OllamaChunk, Delta> {
  return createDecoder<OllamaChunk>({ name: "ollama", provider: "ollama", reader: createReader }, options);
}

/** What the types above leave out. */
interface LooseChunk extends OllamaChunk {
  readonly error?: unknown;
  readonly logprobs?: unknown;
}

interface LooseMessage extends OllamaChunkMessage {
  readonly images?: readonly unknown[] | null;
}

interface LooseCall {
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

const finishReasons: Readonly<Record<string, FinishReason>> = { stop: "stop", length: "length" };

const chunkFields = new Set(
  (
    "model created_at message done done_reason error prompt_eval_count eval_count prompt_eval_duration eval_duration " +
    "total_duration load_duration remote_model remote_host logprobs"
  ).split(" "),
);
const messageFields = new Set("role content thinking tool_calls images tool_name tool_call_id".split(" "));

function createReader(context: DecoderContext): ChunkReader<OllamaChunk> {
  const { calls, provider } = context;
  let position = 0;

  const readCall = ({ id, function: named }: LooseCall, emit: EmitDelta) => {
    const index = position++;
    // A call is whole as it comes: without arguments it has none.
    const text = named?.arguments ?? {};
    calls.part({ slot: index, id, name: named?.name, text, index, settled: true }, emit);
    calls.end(index, emit);
  };

  const readMessage = (message: LooseMessage, logprobs: unknown, emit: EmitDelta) => {
    const { thinking, content: text, images } = message;
    if (thinking) emit({ type: "reasoning", text: thinking });
    if (text) emit({ type: "text", text, ...(logprobs ? { metadata: { "agrx.logprobs": logprobs } } : {}) });
    for (const call of message.tool_calls ?? []) readCall(call, emit);
    if (images?.length) emit({ type: "custom", name: `${provider}.images`, value: images });
    context.unknownFields("message", message, messageFields);
  };

  return {
    push(chunk, emit) {
      const { message, model, error, logprobs } = chunk as LooseChunk;
      if (message) readMessage(message, logprobs, emit);
      context.unknownFields("", chunk, chunkFields);
      if (error) {
        context.fail(providerFailure(error, provider), emit);
        return;
      }
      if (chunk.done !== true) return;
      const { prompt_eval_count: inputTokens, eval_count: outputTokens } = chunk;
      const totalTokens = sumOf(inputTokens, outputTokens);
      emit({ type: "usage", usage: tokenUsage(provider, model, { inputTokens, outputTokens, totalTokens }) });
      const raw = chunk.done_reason ?? "stop";
      context.finish(readFinishReason(raw, finishReasons) ?? "stop", raw, emit);
    },
  };
}
