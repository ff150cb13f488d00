import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { encryptedFields } from "../encrypted-values.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { createHostedCalls } from "./hosted-calls.js";
import { providerFailure } from "./provider-failure.js";
import { sumOf, tokenUsage } from "./token-count.js";

/** An event of Gemini's Interactions API; the SDK's `InteractionSSEEvent` is one. */
export interface GeminiInteractionsChunk {
  readonly event_type?: string | undefined;
  readonly index?: number | undefined;
  readonly step?: object | undefined;
  /** The step's name in the first version of the API. */
  readonly content?: object | undefined;
  readonly delta?: object | undefined;
  readonly interaction?: object | undefined;
  readonly error?: object | undefined;
}

/**
 * Reads the events of Gemini's Interactions API.
 *
 * In: events, from the wire or from the SDK. Out: deltas, synchronously. Completes with the source; an error
 * event and the status `failed` are error deltas. A call ends at its step's stop; steps named `..._call` are
 * tools that Google ran, their `..._result` steps what those gave. The first version of the API, in which steps
 * are contents, is read as well.
 *
 * ```text
 * chunks  --s--a--e--c--|      s: step.start, a: step.delta, e: step.stop, c: interaction.completed
 * deltas  --S--A--E--F--|
 * ```
 *
 * @example
 * ```ts
 * import { geminiInteractions, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * of(
 *   { event_type: "step.start", index: 0, step: { type: "function_call", id: "c1", name: "now", arguments: {} } },
 *   { event_type: "step.stop", index: 0 },
 *   { event_type: "interaction.completed", interaction: { status: "requires_action" } },
 * )
 *   .pipe(geminiInteractions(), toToolCalls())
 *   .subscribe(({ id, name }) => console.log(id, name)); // c1 now
 * ```
 */
export function geminiInteractions(
  options?: DecoderOptions,
): OperatorFunction<GeminiInteractionsChunk, Delta> {
  return stateful(() => createGeminiInteractionsDecoder(options));
}

/** The machine of {@link geminiInteractions}. */
export function createGeminiInteractionsDecoder(
  options: DecoderOptions = {},
): Machine<GeminiInteractionsChunk, Delta> {
  return createDecoder<GeminiInteractionsChunk>(
    { name: "geminiInteractions", provider: "google", reader: createReader },
    options,
  );
}

interface Step {
  readonly type?: string;
  readonly id?: string;
  readonly name?: string;
  readonly arguments?: unknown;
  readonly signature?: string;
  readonly call_id?: string;
  readonly result?: unknown;
  readonly is_error?: boolean;
  readonly content?: readonly unknown[];
  readonly summary?: readonly unknown[];
  readonly text?: string;
  readonly error?: unknown;
}

interface StepDelta extends Omit<Step, "content"> {
  readonly content?: unknown;
  readonly annotations?: readonly unknown[];
}

interface Interaction {
  readonly id?: string;
  readonly model?: string;
  readonly status?: string;
  readonly usage?: {
    readonly total_input_tokens?: number;
    readonly total_tool_use_tokens?: number;
    readonly total_output_tokens?: number;
    readonly total_thought_tokens?: number;
    readonly total_cached_tokens?: number;
    readonly total_tokens?: number;
  };
  readonly error?: unknown;
}

/** What is kept of a step while it is open. */
interface OpenStep {
  readonly type: string;
  callId: string | undefined;
  result: unknown;
  isError: boolean;
  annotations: readonly unknown[];
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  completed: "stop",
  requires_action: "tool-calls",
  requires_continuation: "pause",
  incomplete: "length",
  budget_exceeded: "length",
  failed: "error",
  cancelled: "error",
};

const running = new Set(["in_progress", "queued"]);

/** The events of the first version, by what they are called since. */
const earlierNames: Readonly<Record<string, string>> = {
  "interaction.start": "interaction.created",
  "interaction.complete": "interaction.completed",
  "content.start": "step.start",
  "content.delta": "step.delta",
  "content.stop": "step.stop",
};

const media = /^(image|audio|video|document)$/;

function createReader(context: DecoderContext): ChunkReader<GeminiInteractionsChunk> {
  const { calls, provider } = context;
  const hosted = createHostedCalls(calls);
  const steps = new Map<number, OpenStep>();
  let answerId: string | undefined;
  let model: string | undefined;

  const words = (part: unknown, type: "text" | "reasoning", key: string, emit: EmitDelta) => {
    const { text } = (typeof part === "object" && part !== null ? part : {}) as { readonly text?: unknown };
    if (typeof text !== "string") emit({ type: "custom", name: `${provider}.content`, value: part });
    else if (text !== "") emit({ type, text, ...(type === "reasoning" && { key }) });
  };

  const sign = (signature: string | undefined, key: string, emit: EmitDelta) => {
    const signed = encryptedFields(signature, "google.thought_signature");
    if (signed) emit({ type: "reasoning", text: "", key, ...signed });
  };

  const readCall = (slot: number, call: Step, emit: EmitDelta) => {
    const name = call.name ?? call.type?.replace(/_call$/, "");
    const signed = encryptedFields(call.signature, "google.thought_signature");
    const part = { slot, id: call.id, name, text: call.arguments, settled: true, ...signed };
    if (call.type === "function_call") calls.part(part, emit);
    else hosted.start(part, emit);
  };

  const annotate = (step: OpenStep, annotations: readonly unknown[] | undefined, emit: EmitDelta) => {
    if (!annotations?.length) return;
    step.annotations = [...step.annotations, ...annotations];
    emit({ type: "text", text: "", metadata: { "agrx.citations": step.annotations } });
  };

  const start = (index: number, step: Step, emit: EmitDelta) => {
    const key = String(index);
    const { type = "", call_id: callId, result, is_error: isError = false } = step;
    // What comes after an empty call's stop shows that the call was not cut.
    calls.settle(emit);
    steps.set(index, { type, callId, result, isError, annotations: [] });
    if (type.endsWith("_call")) readCall(index, step, emit);
    else if (type === "thought") {
      for (const part of step.summary ?? []) words(part, "reasoning", key, emit);
      sign(step.signature, key, emit);
    } else if (type === "model_output") {
      for (const part of step.content ?? []) words(part, "text", key, emit);
      if (step.error) context.fail(providerFailure(step.error, provider), emit);
    } else if (type === "text") {
      if (step.text) words(step, "text", key, emit);
    } else if (!type.endsWith("_result") && type !== "user_input" && !media.test(type)) {
      context.unknown(`step.${type}`, step);
    }
  };

  const readDelta = (index: number, delta: StepDelta, emit: EmitDelta) => {
    const key = String(index);
    const step = steps.get(index) ?? {
      type: "",
      callId: undefined,
      result: undefined,
      isError: false,
      annotations: [],
    };
    const type = delta.type ?? "";
    if (type === "text") words(delta, "text", key, emit);
    else if (type === "thought_summary") words(delta.content, "reasoning", key, emit);
    else if (type === "thought_signature") sign(delta.signature, key, emit);
    else if (type === "arguments_delta") calls.part({ slot: index, text: delta.arguments }, emit);
    else if (type.endsWith("_call")) {
      if (calls.open(index) === undefined) readCall(index, delta as Step, emit);
      else if (calls.open(index)?.text === "") calls.part({ slot: index, text: delta.arguments }, emit);
    } else if (type.endsWith("_result")) {
      step.result = delta.result;
      step.callId ??= delta.call_id;
      step.isError ||= delta.is_error === true;
    } else if (type === "text_annotation_delta" || type === "text_annotation") {
      annotate(step, delta.annotations, emit);
    } else if (media.test(type)) emit({ type: "custom", name: `${provider}.${type}`, value: delta });
    else context.unknown(`delta.${type}`, delta);
  };

  const stop = (index: number, emit: EmitDelta) => {
    calls.end(index, emit);
    const step = steps.get(index);
    steps.delete(index);
    if (step?.callId === undefined || !step.type.endsWith("_result")) return;
    hosted.result(step.callId, step.result, step.isError ? { isError: true } : {}, emit);
  };

  const finish = ({ status = "", usage, error }: Interaction, emit: EmitDelta) => {
    if (usage) {
      emit({
        type: "usage",
        usage: tokenUsage(provider, model, {
          inputTokens: sumOf(usage.total_input_tokens, usage.total_tool_use_tokens),
          outputTokens: sumOf(usage.total_output_tokens, usage.total_thought_tokens),
          totalTokens: usage.total_tokens,
          reasoningTokens: usage.total_thought_tokens,
          cachedInputTokens: usage.total_cached_tokens,
        }),
      });
    }
    if (running.has(status)) return;
    if (error) {
      context.fail(providerFailure(error, provider), emit);
      return;
    }
    const reason = readFinishReason(status, finishReasons);
    if (reason !== undefined) context.finish(reason, status, emit);
  };

  return {
    get answerId() {
      return answerId;
    },
    push(chunk, emit) {
      const { event_type: type = "", index = 0 } = chunk;
      const interaction: Interaction = chunk.interaction ?? {};
      if (interaction.id) answerId = interaction.id;
      if (interaction.model) model = interaction.model;
      switch (earlierNames[type] ?? type) {
        case "step.start":
          start(index, chunk.step ?? chunk.content ?? {}, emit);
          break;
        case "step.delta":
          readDelta(index, chunk.delta ?? {}, emit);
          break;
        case "step.stop":
          stop(index, emit);
          break;
        case "interaction.completed":
          finish(interaction, emit);
          break;
        case "interaction.created":
        case "interaction.status_update":
          break;
        case "error":
          context.fail(providerFailure(chunk.error ?? chunk, provider), emit);
          break;
        default:
          if (chunk.error) context.fail(providerFailure(chunk.error, provider), emit);
          else context.unknown(type, chunk);
      }
    },
  };
}
