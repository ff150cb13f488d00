import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import { ProviderError } from "../provider-error.js";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { keptMetadata, type ProviderMetadata } from "./ai-sdk-metadata.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { providerFailure } from "./provider-failure.js";
import { remember } from "./remember.js";
import { tokenUsage } from "./token-count.js";

/** A part of the Vercel AI SDK's `fullStream`, of a language model's stream, or of a UI message stream. */
export interface AiSdkChunk {
  readonly type: string;
}

/**
 * Reads the Vercel AI SDK's streams: `fullStream` of `streamText`, a language model's own parts, and the UI
 * message stream.
 *
 * In: parts. Out: deltas, synchronously. Completes with the source; an `error` or `abort` part is an error
 * delta. A call ends at its `tool-input-end`, `tool-call` or `tool-input-available`, whichever comes first;
 * what the others repeat of it adds nothing. Results of tools that the SDK ran are results here.
 *
 * ```text
 * parts   --s--a--e--c--f--|      s: tool-input-start, a: -delta, e: -end, c: tool-call, f: finish
 * deltas  --S--A--E-----F--|
 * ```
 *
 * @example
 * ```ts
 * import { aiSdk, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * of(
 *   { type: "tool-input-start", id: "c1", toolName: "roll_dice" },
 *   { type: "tool-input-delta", id: "c1", delta: '{"sides":6}' },
 *   { type: "tool-input-end", id: "c1" },
 *   { type: "tool-call", toolCallId: "c1", toolName: "roll_dice", input: { sides: 6 } },
 *   { type: "finish", finishReason: "tool-calls" },
 * )
 *   .pipe(aiSdk(), toToolCalls())
 *   .subscribe((call) => console.log(call.arguments)); // {"sides":6}
 * ```
 */
export function aiSdk(options?: DecoderOptions): OperatorFunction<AiSdkChunk, Delta> {
  return stateful(() => createAiSdkDecoder(options));
}

/** The machine of {@link aiSdk}. */
export function createAiSdkDecoder(options: DecoderOptions = {}): Machine<AiSdkChunk, Delta> {
  return createDecoder<AiSdkChunk>({ name: "aiSdk", provider: "ai", reader: createReader }, options);
}

/** The fields of all parts; which of them a part has, its type says. */
interface Part extends AiSdkChunk {
  readonly id?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** `text` on fullStream, `delta` elsewhere; `inputTextDelta` for arguments in UI messages. */
  readonly text?: string;
  readonly delta?: string;
  readonly inputTextDelta?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly result?: unknown;
  readonly preliminary?: boolean;
  readonly isError?: boolean;
  readonly error?: unknown;
  readonly errorText?: string;
  readonly reason?: string;
  readonly providerExecuted?: boolean;
  readonly providerMetadata?: ProviderMetadata;
  readonly finishReason?: string | { readonly unified?: string; readonly raw?: string };
  readonly rawFinishReason?: string;
  readonly usage?: Usage;
  readonly totalUsage?: Usage;
  readonly modelId?: string;
  readonly response?: { readonly modelId?: string };
}

/** Flat on fullStream, by kind in a language model's own parts. */
interface Usage {
  readonly inputTokens?:
    number | { readonly total?: number; readonly cacheRead?: number; readonly cacheWrite?: number };
  readonly outputTokens?: number | { readonly total?: number; readonly reasoning?: number };
  readonly totalTokens?: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number; readonly cacheWriteTokens?: number };
  readonly outputTokenDetails?: { readonly reasoningTokens?: number };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool-calls",
  "content-filter": "content-filter",
  error: "error",
};

const silent = new Set(["start", "stream-start", "text-end", "raw", "finish-step"]);

/** Parts that are no text, reasoning or call: told as they are. */
const told = /^(source|source-url|source-document|file|message-metadata|tool-approval-.+|data-.+)$/;

function createReader(context: DecoderContext): ChunkReader<AiSdkChunk> {
  const { calls, provider } = context;
  /** Slots of this step's calls, by id: later parts repeat what has ended. */
  const slots = new Map<string, string>();
  /** Keys of all calls, by id: a result may come in a later step. */
  const keys = new Map<string, string>();
  let step = 0;
  let model: string | undefined;
  let answerId: string | undefined;

  const blockKey = (id = "") => `${step}-${id}`;

  /** Begins a call, unless it has begun in this step: another step may use its id again (vercel/ai#17347). */
  const startCall = (id: string, part: Part, emit: EmitDelta): string => {
    const begun = slots.get(id);
    if (begun !== undefined) return begun;
    const { toolName: name, providerExecuted = false } = part;
    const slot = `${step}.${id}`;
    remember(slots, id, slot);
    const kept = keptMetadata(part.providerMetadata);
    calls.part({ slot, id, name, settled: true, providerExecuted, ...kept }, emit);
    remember(keys, id, calls.open(slot)?.key ?? id);
    return slot;
  };

  const wholeCall = (part: Part, emit: EmitDelta) => {
    const slot = startCall(part.toolCallId ?? "", part, emit);
    if (calls.open(slot)?.text === "") calls.part({ slot, text: part.input }, emit);
    calls.end(slot, emit);
  };

  const result = (part: Part, value: unknown, isError: boolean, emit: EmitDelta) => {
    const id = part.toolCallId ?? "";
    calls.settle(emit);
    emit({
      type: "tool-result",
      key: keys.get(id) ?? id,
      id,
      result: value,
      ...(isError && { isError: true }),
      ...(part.preliminary === true && { preliminary: true }),
    });
  };

  const words = (type: "text" | "reasoning") => (part: Part, emit: EmitDelta) => {
    const text = part.text ?? part.delta ?? "";
    const kept = keptMetadata(part.providerMetadata);
    if (text !== "" || kept.encryptedValue !== undefined) {
      emit({ type, text, key: blockKey(part.id), ...kept });
    }
  };

  const finish = (part: Part, emit: EmitDelta) => {
    const usage = part.totalUsage ?? part.usage;
    if (usage) emit({ type: "usage", usage: readUsage(usage, provider, model) });
    const said = part.finishReason;
    const unified = typeof said === "object" ? said.unified : (said ?? "stop");
    const raw = (typeof said === "object" ? said.raw : part.rawFinishReason) ?? unified ?? "";
    context.finish(readFinishReason(unified, finishReasons) ?? "other", raw, emit);
  };

  const readers: Readonly<Record<string, (part: Part, emit: EmitDelta) => void>> = {
    "start-step"() {
      step++;
      slots.clear();
      context.begin();
    },
    "response-metadata"(part) {
      answerId = part.id;
      model = part.modelId;
    },
    "text-start": words("text"),
    "text-delta": words("text"),
    "reasoning-start": words("reasoning"),
    "reasoning-delta": words("reasoning"),
    "reasoning-end": words("reasoning"),
    "tool-input-start": (part, emit) => void startCall(part.id ?? part.toolCallId ?? "", part, emit),
    "tool-input-delta"(part, emit) {
      const slot = slots.get(part.id ?? part.toolCallId ?? "");
      if (slot === undefined) context.unknown(part.type, part);
      else calls.part({ slot, text: part.delta ?? part.inputTextDelta }, emit);
    },
    "tool-input-end": (part, emit) => calls.end(slots.get(part.id ?? "") ?? "", emit),
    "tool-call": wholeCall,
    "tool-input-available": wholeCall,
    "tool-input-error": wholeCall,
    "tool-result": (part, emit) => result(part, part.output ?? part.result, part.isError === true, emit),
    "tool-output-available": (part, emit) => result(part, part.output, false, emit),
    "tool-error": (part, emit) => result(part, messageOf(part.error), true, emit),
    "tool-output-error": (part, emit) => result(part, part.errorText, true, emit),
    "tool-output-denied": (part, emit) => result(part, "The tool's execution was denied.", true, emit),
    finish,
    error: (part, emit) => {
      context.fail(providerFailure(part.error ?? { message: part.errorText }, provider), emit);
    },
    abort: (part, emit) => context.fail(aborted(provider, part.reason), emit),
  };

  return {
    get answerId() {
      return answerId;
    },
    push(chunk, emit) {
      const part = chunk as Part;
      if (part.response?.modelId) model = part.response.modelId;
      if (Object.hasOwn(readers, part.type)) readers[part.type]?.(part, emit);
      else if (told.test(part.type)) emit({ type: "custom", name: `${provider}.${part.type}`, value: chunk });
      else if (!silent.has(part.type)) context.unknown(part.type, chunk);
    },
  };
}

function readUsage(usage: Usage, provider: string, model: string | undefined) {
  const input = typeof usage.inputTokens === "object" ? usage.inputTokens : { total: usage.inputTokens };
  const output = typeof usage.outputTokens === "object" ? usage.outputTokens : { total: usage.outputTokens };
  const { inputTokenDetails: inputs, outputTokenDetails: outputs } = usage;
  return tokenUsage(provider, model, {
    inputTokens: input.total,
    outputTokens: output.total,
    totalTokens: usage.totalTokens,
    reasoningTokens:
      usage.reasoningTokens ??
      outputs?.reasoningTokens ??
      ("reasoning" in output ? output.reasoning : undefined),
    cachedInputTokens:
      usage.cachedInputTokens ??
      inputs?.cacheReadTokens ??
      ("cacheRead" in input ? input.cacheRead : undefined),
    cacheWriteInputTokens: inputs?.cacheWriteTokens ?? ("cacheWrite" in input ? input.cacheWrite : undefined),
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function aborted(provider: string, reason: string | undefined): ProviderError {
  return new ProviderError({
    code: "aborted",
    message: `The stream of "${provider}" was aborted${reason === undefined ? "" : `: ${reason}`}.`,
    retryable: false,
    provider,
  });
}
