import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { metadataKeys } from "../metadata-keys.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { providerFailure } from "./provider-failure.js";
import { sumOf, tokenUsage } from "./token-count.js";

/** An event of Cohere's v2 chat stream, in the words of the wire or of the SDK. */
export interface CohereChunk {
  readonly type?: string | undefined;
  readonly id?: string | undefined;
  readonly index?: number | undefined;
  readonly delta?: object | undefined;
}

/**
 * Reads the events of Cohere's v2 chat stream.
 *
 * In: events, from the wire (`tool_calls`) or from the SDK (`toolCalls`). Out: deltas, synchronously; the tool
 * plan is reasoning, citations are metadata of the text. Completes with the source; an error of the provider
 * is an error delta. A call ends at its `tool-call-end`.
 *
 * ```text
 * chunks  --s--a--e--m--|      s: tool-call-start, a: tool-call-delta, e: tool-call-end, m: message-end
 * deltas  --S--A--E--F--|
 * ```
 *
 * @example
 * ```ts
 * import { cohere, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * const call = { id: "c1", type: "function", function: { name: "now", arguments: "{}" } };
 * of(
 *   { type: "tool-call-start", index: 0, delta: { message: { tool_calls: call } } },
 *   { type: "tool-call-end", index: 0 },
 *   { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
 * )
 *   .pipe(cohere(), toToolCalls())
 *   .subscribe(({ id, name }) => console.log(id, name)); // c1 now
 * ```
 */
export function cohere(options?: DecoderOptions): OperatorFunction<CohereChunk, Delta> {
  return stateful(() => createCohereDecoder(options));
}

/** The machine of {@link cohere}. */
export function createCohereDecoder(options: DecoderOptions = {}): Machine<CohereChunk, Delta> {
  return createDecoder<CohereChunk>({ name: "cohere", provider: "cohere", reader: createReader }, options);
}

interface Call {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: unknown };
}

interface Content {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
}

/** The SDK writes the wire's names in camel case. */
interface ChunkDelta {
  readonly message?: Message;
  readonly finish_reason?: string;
  readonly finishReason?: string;
  readonly usage?: Usage;
  readonly error?: unknown;
}

/** A chunk, with what may be missing filled in. */
interface Event {
  readonly type: string;
  readonly index: number;
  readonly delta: ChunkDelta;
  readonly message: Message;
}

interface Message {
  readonly content?: Content | readonly Content[];
  readonly tool_plan?: string;
  readonly toolPlan?: string;
  readonly tool_calls?: Call;
  readonly toolCalls?: Call;
  readonly citations?: unknown;
}

interface Usage {
  readonly tokens?: Tokens;
  readonly cached_tokens?: number;
  readonly cachedTokens?: number;
}

interface Tokens {
  readonly input_tokens?: number;
  readonly inputTokens?: number;
  readonly output_tokens?: number;
  readonly outputTokens?: number;
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  COMPLETE: "stop",
  STOP_SEQUENCE: "stop",
  TOOL_CALL: "tool-calls",
  MAX_TOKENS: "length",
  ERROR: "error",
  ERROR_TOXIC: "content-filter",
  ERROR_LIMIT: "length",
  TIMEOUT: "error",
};

const deltaFields = new Set("message finish_reason finishReason usage error".split(" "));
const messageFields = new Set("role content tool_plan toolPlan tool_calls toolCalls citations".split(" "));
const contentFields = new Set("type text thinking".split(" "));

/** Events that say nothing which another event does not say as well. */
const silent = new Set(["content-end", "citation-end", "debug"]);

function createReader(context: DecoderContext): ChunkReader<CohereChunk> {
  const { calls, provider } = context;
  let citations: readonly unknown[] = [];
  let answerId: string | undefined;

  const content = ({ index, message }: Event, emit: EmitDelta) => {
    for (const part of [message.content ?? []].flat()) {
      if (part.text) emit({ type: "text", text: part.text });
      if (part.thinking) emit({ type: "reasoning", text: part.thinking, key: String(index) });
      context.unknownFields("delta.message.content", part, contentFields);
    }
  };

  const call = ({ type, index: slot, message }: Event, emit: EmitDelta) => {
    const { id, function: named } = message.tool_calls ?? message.toolCalls ?? {};
    const head = type === "tool-call-start" ? { index: slot, settled: true } : undefined;
    calls.part({ slot, id, name: named?.name, text: named?.arguments, ...head }, emit);
  };

  const end = ({ delta }: Event, emit: EmitDelta) => {
    const { usage, error } = delta;
    const raw = delta.finish_reason ?? delta.finishReason;
    if (usage) emit({ type: "usage", usage: readUsage(usage, provider) });
    if (error) {
      context.fail(providerFailure({ code: raw, message: error }, provider), emit);
      return;
    }
    const reason = readFinishReason(raw, finishReasons);
    if (reason !== undefined) context.finish(reason, raw ?? "", emit);
  };

  const readers: Readonly<Record<string, (event: Event, emit: EmitDelta) => void>> = {
    "content-start": content,
    "content-delta": content,
    "tool-plan-delta"({ message }, emit) {
      const text = message.tool_plan ?? message.toolPlan;
      if (text)
        emit({
          type: "reasoning",
          text,
          key: "tool-plan",
          metadata: { [metadataKeys.cohereToolPlan]: true },
        });
    },
    "tool-call-start": call,
    "tool-call-delta": call,
    "tool-call-end": ({ index }, emit) => calls.end(index, emit),
    "citation-start"({ message }, emit) {
      citations = [...citations, ...[message.citations ?? []].flat()];
      emit({ type: "text", text: "", metadata: { "agrx.citations": citations } });
    },
    "message-end": end,
  };

  return {
    get answerId() {
      return answerId;
    },
    push(chunk, emit) {
      const { type = "", index = 0 } = chunk;
      const delta: ChunkDelta = chunk.delta ?? {};
      const message = delta.message ?? {};
      if (type === "message-start") answerId = chunk.id;
      else if (Object.hasOwn(readers, type)) readers[type]!({ type, index, delta, message }, emit);
      else if ("error" in chunk || "message" in chunk) context.fail(providerFailure(chunk, provider), emit);
      else if (!silent.has(type)) context.unknown(type, chunk);
      context.unknownFields("delta", delta, deltaFields);
      context.unknownFields("delta.message", message, messageFields);
    },
  };
}

function readUsage({ tokens, cached_tokens, cachedTokens }: Usage, provider: string) {
  const inputTokens = tokens?.input_tokens ?? tokens?.inputTokens;
  const outputTokens = tokens?.output_tokens ?? tokens?.outputTokens;
  return tokenUsage(provider, undefined, {
    inputTokens,
    outputTokens,
    totalTokens: sumOf(inputTokens, outputTokens),
    cachedInputTokens: cached_tokens ?? cachedTokens,
  });
}
