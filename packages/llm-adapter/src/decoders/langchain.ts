import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import type { TrackedCall } from "../calls/call-tracker.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { createLangChainContentReader } from "./langchain-content.js";
import { addLangChainUsage, type LangChainUsage } from "./langchain-usage.js";
import { providerFailure } from "./provider-failure.js";
import { remember } from "./remember.js";

/**
 * What LangChain streams: a message chunk (`model.stream`), a chunk with its metadata
 * (`streamMode: "messages"`), or an event (`streamEvents`); instances and their JSON alike.
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
  /** Of a whole message: calls whose arguments are no JSON. */
  readonly invalid_tool_calls?: readonly ToolCallChunk[];
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
  readonly name?: string;
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

/** What happens around the models of a graph: known, and no part of an answer. */
const around = /^on_(chain|prompt|parser|retriever|tool|llm|chat_model)_(start|stream|end)$/;

function createReader(context: DecoderContext): ChunkReader<LangChainChunk> {
  const { calls, provider } = context;
  const content = createLangChainContentReader(context);
  const usage = addLangChainUsage(provider);
  /** Runs of which a chunk has come: their whole message, which may follow, adds nothing. */
  const streamed = new Set<string>();
  /** Keys of calls by id, for the results of tools. */
  const keys = new Map<string, string>();
  /** Runs of messages that came without one, by the message's id; a first chunk may lack it. */
  const runs = new Map<string, string>();
  let unnamed: string | undefined = "0";
  let run = "0";
  let finished = false;
  let messageId: string | undefined;

  const finish = (raw: string, emit: EmitDelta) => {
    finished = true;
    context.finish(readFinishReason(raw, finishReasons) ?? "stop", raw, emit);
  };

  /** Another message after one that has finished is another answer. */
  const begin = () => {
    if (finished) context.begin();
    finished = false;
  };

  const runOf = (runId: string, id: string | undefined): string => {
    if (id === undefined) return runId === "" ? run : runId;
    messageId = id;
    const known = runs.get(id);
    if (known === undefined) begin();
    run = known ?? (runId === "" ? (unnamed ?? String(runs.size + 1)) : runId);
    unnamed = undefined;
    remember(runs, id, run);
    return run;
  };

  const readResult = (
    { tool_call_id: id = "", content: result, status }: LangChainMessage,
    emit: EmitDelta,
  ) => {
    calls.settle(emit);
    const isError = status === "error";
    emit({ type: "tool-result", key: keys.get(id) ?? id, id, result, ...(isError && { isError }) });
  };

  const readMessage = (message: LangChainMessage, runId: string, emit: EmitDelta) => {
    if (message.tool_call_id !== undefined) {
      readResult(message, emit);
      return;
    }
    const messageRun = runOf(runId, message.id);
    finished = false;
    content.read(message, messageRun, emit);
    const { tool_call_chunks: chunks } = message;
    if (chunks) for (const part of chunks) readCallChunk(part, messageRun, emit);
    else readCalls(message, messageRun, emit);
    if (message.usage_metadata) emit({ type: "usage", usage: usage.add(message.usage_metadata) });
    const raw = finishReasonOf(message);
    if (raw !== undefined) finish(raw, emit);
    else if (message.chunk_position === "last") finish("", emit);
  };

  const readCallChunk = ({ id, name, args, index }: ToolCallChunk, run: string, emit: EmitDelta) => {
    const slot = index === undefined || index === null ? undefined : `${run}.${index}`;
    calls.part({ slot, id, name, text: args, ...(typeof index === "number" && { index }) }, emit);
    if (id) note(calls.find({ id }));
  };

  const readCalls = (
    { tool_calls = [], invalid_tool_calls = [] }: LangChainMessage,
    run: string,
    emit: EmitDelta,
  ) => {
    for (const [index, { id, name, args }] of [...tool_calls, ...invalid_tool_calls].entries()) {
      const slot = `${run}.whole.${index}`;
      calls.part({ slot, id, name, text: args ?? {}, index, settled: true }, emit);
      note(calls.open(slot));
      calls.end(slot, emit);
    }
  };

  const note = (call: TrackedCall | undefined) => {
    if (call?.id !== undefined) remember(keys, call.id, call.key);
  };

  const readEvent = (given: StreamEvent, emit: EmitDelta) => {
    const { event, run_id = "", data } = given;
    if (event === "on_chat_model_start") begin();
    else if (event === "on_chat_model_stream" && data?.chunk) {
      streamed.add(run_id);
      readMessage(messageOf(data.chunk), run_id, emit);
    } else if (event === "on_chat_model_end") {
      if (data?.output && !streamed.delete(run_id)) readMessage(messageOf(data.output), run_id, emit);
      if (!finished) finish("", emit);
    } else if (event === "on_tool_end" && data?.output) {
      const message = messageOf(data.output);
      if (message.tool_call_id !== undefined) readResult(message, emit);
    } else if (/^on_(chat_model|llm)_error$/.test(event)) {
      context.fail(providerFailure(data?.error ?? { message: event }, provider), emit);
    } else if (event === "on_custom_event") {
      emit({ type: "custom", name: `${provider}.${given.name ?? event}`, value: data });
    } else if (!around.test(event)) context.unknown(event, given);
  };

  return {
    get answerId() {
      return messageId;
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
