import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { createLangChainContentReader } from "./langchain-content.js";
import { addLangChainUsage, type LangChainUsage } from "./langchain-usage.js";
import { providerFailure } from "./provider-failure.js";

/**
 * What LangChain streams: a message chunk (`model.stream`), a chunk with its metadata (`streamMode:
 * "messages"`), or an event (`streamEvents`); instances and their JSON alike.
 */
export type LangChainChunk = object;

/**
 * Reads LangChain's message chunks and stream events.
 *
 * In: chunks of one model, or the events of a whole graph, in which every model run is an answer of its own.
 * Out: deltas, synchronously. Completes with the source. Calls end at the message's end: its finish reason,
 * `on_chat_model_end`, or the last chunk. `tool_calls` of a chunk are a guess at a partial text and are not
 * read; those of a whole message are.
 *
 * ```text
 * chunks  --s--a--a--f--|      s: chunk with id and name, a: arguments, f: response_metadata.finish_reason
 * deltas  -----S--A--E--|
 * ```
 *
 * @example
 * ```ts
 * import { langchain, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * of(
 *   { content: "", tool_call_chunks: [{ id: "c1", name: "roll_dice", args: "", index: 0 }] },
 *   { content: "", tool_call_chunks: [{ args: '{"sides":6}', index: 0 }] },
 *   { content: "", response_metadata: { finish_reason: "tool_calls" } },
 * )
 *   .pipe(langchain(), toToolCalls())
 *   .subscribe((call) => console.log(call.arguments)); // {"sides":6}
 * ```
 */
export function langchain(options?: DecoderOptions): OperatorFunction<LangChainChunk, Delta> {
  return stateful(() => createLangChainDecoder(options));
}

/** The machine of {@link langchain}. */
export function createLangChainDecoder(options: DecoderOptions = {}): Machine<LangChainChunk, Delta> {
  return createDecoder<LangChainChunk>(
    { name: "langchain", provider: "langchain", reader: createReader },
    options,
  );
}

interface ToolCallChunk {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
  readonly index?: string | number | null;
}

interface LangChainMessage {
  readonly id?: string;
  readonly type?: string;
  readonly content?: unknown;
  readonly tool_call_chunks?: readonly ToolCallChunk[];
  readonly tool_calls?: readonly ToolCallChunk[];
  readonly tool_call_id?: string;
  readonly status?: string;
  readonly usage_metadata?: LangChainUsage;
  readonly response_metadata?: Readonly<Record<string, unknown>>;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
  readonly chunk_position?: string;
  /** Where the constructor's fields stand in LangChain's own JSON. */
  readonly kwargs?: LangChainMessage;
}

interface StreamEvent {
  readonly event: string;
  readonly run_id?: string;
  readonly data?: { readonly chunk?: object; readonly output?: object; readonly error?: unknown };
}

/** The finish reasons of the providers behind LangChain, in their own words. */
const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  STOP: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  COMPLETE: "stop",
  tool_calls: "tool-calls",
  tool_use: "tool-calls",
  function_call: "tool-calls",
  TOOL_CALL: "tool-calls",
  length: "length",
  max_tokens: "length",
  MAX_TOKENS: "length",
  content_filter: "content-filter",
  SAFETY: "content-filter",
  refusal: "content-filter",
  pause_turn: "pause",
  error: "error",
};

function createReader(context: DecoderContext): ChunkReader<LangChainChunk> {
  const { calls, provider } = context;
  const content = createLangChainContentReader(context);
  const usage = addLangChainUsage(provider);
  /** Messages of which a chunk has come: their whole form, which may follow, adds nothing. */
  const streamed = new Set<string>();
  let finished = false;
  let answerId: string | undefined;

  const finish = (raw: string, emit: EmitDelta) => {
    finished = true;
    context.finish(readFinishReason(raw, finishReasons) ?? "stop", raw, emit);
  };

  const readMessage = (message: LangChainMessage, run: string, emit: EmitDelta) => {
    if (message.tool_call_id !== undefined) {
      const id = message.tool_call_id;
      emit({
        type: "tool-result",
        key: id,
        id,
        result: message.content,
        ...(message.status === "error" && { isError: true }),
      });
      return;
    }
    if (message.id !== undefined) answerId = message.id;
    finished = false;
    content.read(message, run, emit);
    const isChunk = message.tool_call_chunks !== undefined;
    const parts = isChunk ? message.tool_call_chunks : message.tool_calls;
    for (const part of parts ?? []) readCall(part, run, emit);
    if (message.usage_metadata) emit({ type: "usage", usage: usage.add(message.usage_metadata) });
    const raw = finishReasonOf(message);
    if (raw !== undefined) finish(raw, emit);
    else if (message.chunk_position === "last") finish("", emit);
  };

  const readCall = ({ id, name, args, index }: ToolCallChunk, run: string, emit: EmitDelta) => {
    const slot = index === undefined || index === null ? undefined : `${run}.${index}`;
    calls.part({ slot, id, name, text: args, ...(typeof index === "number" && { index }) }, emit);
  };

  const readEvent = ({ event, run_id = "", data }: StreamEvent, emit: EmitDelta) => {
    if (event === "on_chat_model_stream" && data?.chunk) {
      streamed.add(run_id);
      readMessage(messageOf(data.chunk), run_id, emit);
    } else if (event === "on_chat_model_end") {
      if (data?.output && !streamed.delete(run_id)) readMessage(messageOf(data.output), run_id, emit);
      if (!finished) finish("", emit);
    } else if (event === "on_tool_end" && data?.output) {
      readMessage(messageOf(data.output), run_id, emit);
    } else if (event.endsWith("_error")) {
      context.fail(providerFailure(data?.error ?? { message: event }, provider), emit);
    }
  };

  return {
    get answerId() {
      return answerId;
    },
    push(chunk, emit) {
      const given: unknown = Array.isArray(chunk) ? chunk[0] : chunk;
      if (typeof given !== "object" || given === null) context.unknown("", given);
      else if ("event" in given && typeof given.event === "string") readEvent(given as StreamEvent, emit);
      else readMessage(messageOf(given), "", emit);
    },
  };
}

function messageOf(given: object): LangChainMessage {
  const message = given as LangChainMessage;
  return message.kwargs ?? message;
}

function finishReasonOf({
  response_metadata: said,
  additional_kwargs: more,
}: LangChainMessage): string | undefined {
  const words = [
    said?.["finish_reason"],
    said?.["stop_reason"],
    said?.["finishReason"],
    more?.["stop_reason"],
  ];
  return words.find((word): word is string => typeof word === "string" && word !== "");
}
