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

/** An event of AWS Bedrock's ConverseStream; the SDK's `ConverseStreamOutput` is one. */
export interface BedrockChunk {
  readonly messageStart?: object | undefined;
  readonly contentBlockStart?:
    { readonly contentBlockIndex?: number | undefined; readonly start?: object | undefined } | undefined;
  readonly contentBlockDelta?:
    { readonly contentBlockIndex?: number | undefined; readonly delta?: object | undefined } | undefined;
  readonly contentBlockStop?: { readonly contentBlockIndex?: number | undefined } | undefined;
  readonly messageStop?: { readonly stopReason?: string | undefined } | undefined;
  readonly metadata?: { readonly usage?: object | undefined } | undefined;
}

/**
 * Reads the events of AWS Bedrock's ConverseStream.
 *
 * In: events, as the SDK yields them or as JSON. Out: deltas, synchronously. Completes with the source; an
 * exception among the events is an error delta. A call ends at its block's stop.
 *
 * ```text
 * chunks  --s--a--e--m--|      s: contentBlockStart, a: toolUse input, e: contentBlockStop, m: messageStop
 * deltas  --S--A--E--F--|
 * ```
 *
 * @example
 * ```ts
 * import { bedrock, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * of(
 *   { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: "t1", name: "now" } } } },
 *   { contentBlockStop: { contentBlockIndex: 0 } },
 *   { messageStop: { stopReason: "tool_use" } },
 * )
 *   .pipe(bedrock(), toToolCalls())
 *   .subscribe((call) => console.log(call.id, call.arguments)); // t1 {}
 * ```
 */
export function bedrock(options?: DecoderOptions): OperatorFunction<BedrockChunk, Delta> {
  return stateful(() => createBedrockDecoder(options));
}

/** The machine of {@link bedrock}. */
export function createBedrockDecoder(options: DecoderOptions = {}): Machine<BedrockChunk, Delta> {
  return createDecoder<BedrockChunk>({ name: "bedrock", provider: "bedrock", reader: createReader }, options);
}

interface BlockStart {
  readonly toolUse?: { readonly toolUseId?: string; readonly name?: string; readonly type?: string };
  readonly toolResult?: { readonly toolUseId?: string; readonly status?: string };
}

interface BlockDelta {
  readonly text?: string;
  readonly toolUse?: { readonly input?: unknown };
  readonly reasoningContent?: ReasoningDelta;
  readonly citation?: unknown;
  readonly toolResult?: readonly unknown[];
  readonly image?: unknown;
}

interface ReasoningDelta {
  readonly text?: string;
  readonly signature?: string;
  readonly redactedContent?: string | Uint8Array;
  /** What some gateways call the redacted content. */
  readonly data?: string;
}

interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
}

/** What the last two events may say beside the reason and the usage. */
interface LooseChunk extends BedrockChunk {
  readonly messageStop?: {
    readonly stopReason?: string | undefined;
    readonly additionalModelResponseFields?: unknown;
  };
  readonly metadata?: { readonly usage?: object | undefined; readonly trace?: unknown };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  guardrail_intervened: "content-filter",
  content_filtered: "content-filter",
  malformed_model_output: "error",
  malformed_tool_use: "error",
};

const chunkFields = new Set(
  "messageStart contentBlockStart contentBlockDelta contentBlockStop messageStop metadata".split(" "),
);
const startFields = new Set("toolUse toolResult image".split(" "));
const deltaFields = new Set("text toolUse reasoningContent citation toolResult image".split(" "));
const reasoningFields = new Set("text signature redactedContent data".split(" "));

/** The result of a tool that Bedrock ran, while its block is open. */
interface OpenResult {
  readonly id: string;
  readonly isError: boolean;
  readonly content: unknown[];
}

function createReader(context: DecoderContext): ChunkReader<BedrockChunk> {
  const { calls, provider } = context;
  const hosted = createHostedCalls(calls);
  const results = new Map<number, OpenResult>();
  let citations: readonly unknown[] = [];

  const start = (slot: number, begun: BlockStart, emit: EmitDelta) => {
    const { toolUse, toolResult } = begun;
    if (toolUse) {
      const part = { slot, id: toolUse.toolUseId, name: toolUse.name, settled: true };
      if (toolUse.type === "server_tool_use") hosted.start(part, emit);
      else calls.part(part, emit);
    }
    if (toolResult?.toolUseId !== undefined) {
      results.set(slot, { id: toolResult.toolUseId, isError: toolResult.status === "error", content: [] });
    }
    context.unknownFields("contentBlockStart.start", begun, startFields);
  };

  const readReasoning = (key: string, delta: ReasoningDelta, emit: EmitDelta) => {
    const { text, signature, redactedContent, data } = delta;
    if (text) emit({ type: "reasoning", text, key });
    const signed = encryptedFields(signature, "bedrock.signature");
    if (signed) emit({ type: "reasoning", text: "", key, ...signed });
    const redacted = redactedContent instanceof Uint8Array ? base64(redactedContent) : redactedContent;
    const hidden = encryptedFields(redacted ?? data, "bedrock.redacted_content");
    if (hidden) emit({ type: "reasoning", text: "", key, ...hidden });
    context.unknownFields("contentBlockDelta.delta.reasoningContent", delta, reasoningFields);
  };

  const readDelta = (slot: number, delta: BlockDelta, emit: EmitDelta) => {
    // Text of several blocks is one text: citations cut it into many.
    if (delta.text) emit({ type: "text", text: delta.text });
    if (delta.toolUse) calls.part({ slot, text: delta.toolUse.input }, emit);
    if (delta.toolResult) results.get(slot)?.content.push(...delta.toolResult);
    if (delta.citation) {
      citations = [...citations, delta.citation];
      emit({ type: "text", text: "", metadata: { "agrx.citations": citations } });
    }
    if (delta.image) emit({ type: "custom", name: `${provider}.image`, value: delta.image });
    if (delta.reasoningContent) readReasoning(String(slot), delta.reasoningContent, emit);
    context.unknownFields("contentBlockDelta.delta", delta, deltaFields);
  };

  const stop = (slot: number, emit: EmitDelta) => {
    calls.end(slot, emit);
    const open = results.get(slot);
    if (open === undefined) return;
    results.delete(slot);
    hosted.result(open.id, open.content, open.isError ? { isError: true } : {}, emit);
  };

  const finish = ({ messageStop, metadata }: LooseChunk, emit: EmitDelta) => {
    const { stopReason, additionalModelResponseFields } = messageStop ?? {};
    const told = { additionalModelResponseFields, trace: metadata?.trace };
    for (const [what, value] of Object.entries(told)) {
      if (value) emit({ type: "custom", name: `${provider}.${what}`, value });
    }
    const reason = readFinishReason(stopReason, finishReasons);
    if (reason !== undefined) context.finish(reason, stopReason ?? "", emit);
    if (metadata?.usage) emit({ type: "usage", usage: readUsage(metadata.usage, provider) });
  };

  return {
    push(chunk, emit) {
      const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = chunk;
      // What comes after an empty call's stop shows that the call was not cut.
      if (contentBlockStart ?? contentBlockDelta) calls.settle(emit);
      if (contentBlockStart?.start) {
        start(contentBlockStart.contentBlockIndex ?? 0, contentBlockStart.start, emit);
      }
      if (contentBlockDelta?.delta) {
        readDelta(contentBlockDelta.contentBlockIndex ?? 0, contentBlockDelta.delta, emit);
      }
      if (contentBlockStop) stop(contentBlockStop.contentBlockIndex ?? 0, emit);
      if (messageStop ?? metadata) finish(chunk as LooseChunk, emit);
      for (const [member, value] of Object.entries(chunk)) {
        if (chunkFields.has(member) || !value) continue;
        if (member.endsWith("Exception")) context.fail(failure(member, value as object, provider), emit);
        else context.unknown(member, value);
      }
    },
  };
}

function failure(
  member: string,
  value: { readonly message?: unknown; originalMessage?: unknown },
  provider: string,
) {
  return providerFailure({ code: member, message: value.message ?? value.originalMessage }, provider);
}

/** Bedrock counts cached input beside `inputTokens`; AG-UI's input is the total. */
function readUsage(usage: Usage, provider: string) {
  return tokenUsage(provider, undefined, {
    inputTokens: sumOf(usage.inputTokens, usage.cacheReadInputTokens, usage.cacheWriteInputTokens),
    outputTokens: usage.outputTokens,
    totalTokens: usage.totalTokens,
    cachedInputTokens: usage.cacheReadInputTokens,
    cacheWriteInputTokens: usage.cacheWriteInputTokens,
  });
}

function base64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
