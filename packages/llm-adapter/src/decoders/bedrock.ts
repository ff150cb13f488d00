import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
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
  readonly reasoningContent?: {
    readonly text?: string;
    readonly signature?: string;
    readonly redactedContent?: string | Uint8Array;
  };
  readonly citation?: unknown;
  readonly toolResult?: readonly unknown[];
  readonly image?: unknown;
}

interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly totalTokens?: number;
  readonly cacheReadInputTokens?: number;
  readonly cacheWriteInputTokens?: number;
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
const deltaFields = new Set("text toolUse reasoningContent citation toolResult image".split(" "));

/** The result of a tool that Bedrock ran, while its block is open. */
interface OpenResult {
  readonly id: string;
  readonly isError: boolean;
  readonly content: unknown[];
}

function createReader(context: DecoderContext): ChunkReader<BedrockChunk> {
  const { calls } = context;
  const serverCalls = new Map<string, string>();
  const results = new Map<number, OpenResult>();
  const citations: unknown[] = [];

  const start = (index: number, { toolUse, toolResult }: BlockStart, emit: EmitDelta) => {
    if (toolUse) {
      const { toolUseId: id, name, type } = toolUse;
      const providerExecuted = type === "server_tool_use";
      calls.part({ slot: index, id, name, settled: true, providerExecuted }, emit);
      const key = calls.open(index)?.key;
      if (providerExecuted && id !== undefined && key !== undefined) serverCalls.set(id, key);
    }
    if (toolResult?.toolUseId !== undefined) {
      results.set(index, { id: toolResult.toolUseId, isError: toolResult.status === "error", content: [] });
    }
  };

  const readDelta = (index: number, delta: BlockDelta, emit: EmitDelta) => {
    const key = String(index);
    if (delta.text) emit({ type: "text", text: delta.text, key });
    if (delta.toolUse) calls.part({ slot: index, text: delta.toolUse.input }, emit);
    if (delta.toolResult) results.get(index)?.content.push(...delta.toolResult);
    if (delta.citation) {
      citations.push(delta.citation);
      emit({ type: "text", text: "", key, metadata: { "agrx.citations": [...citations] } });
    }
    if (delta.image) emit({ type: "custom", name: `${context.provider}.image`, value: delta.image });
    const { text, signature, redactedContent } = delta.reasoningContent ?? {};
    if (text) emit({ type: "reasoning", text, key });
    if (signature) {
      emit({
        type: "reasoning",
        text: "",
        key,
        encryptedValue: signature,
        encryptedValueType: "bedrock.signature",
      });
    }
    if (redactedContent) {
      const encryptedValue = typeof redactedContent === "string" ? redactedContent : base64(redactedContent);
      emit({
        type: "reasoning",
        text: "",
        key,
        encryptedValue,
        encryptedValueType: "bedrock.redacted_content",
      });
    }
    context.unknownFields("contentBlockDelta.delta", delta, deltaFields);
  };

  const stop = (index: number, emit: EmitDelta) => {
    calls.end(index, emit);
    const result = results.get(index);
    if (result === undefined) return;
    results.delete(index);
    const key = serverCalls.get(result.id) ?? result.id;
    emit({
      type: "tool-result",
      key,
      id: result.id,
      result: result.content,
      ...(result.isError && { isError: true }),
    });
  };

  return {
    push(chunk, emit) {
      const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = chunk;
      if (contentBlockStart?.start)
        start(contentBlockStart.contentBlockIndex ?? 0, contentBlockStart.start, emit);
      if (contentBlockDelta?.delta)
        readDelta(contentBlockDelta.contentBlockIndex ?? 0, contentBlockDelta.delta, emit);
      if (contentBlockStop) stop(contentBlockStop.contentBlockIndex ?? 0, emit);
      const reason = readFinishReason(messageStop?.stopReason, finishReasons);
      if (reason !== undefined) context.finish(reason, messageStop?.stopReason ?? "", emit);
      if (metadata?.usage) emit({ type: "usage", usage: readUsage(metadata.usage, context.provider) });
      for (const [member, value] of Object.entries(chunk)) {
        if (chunkFields.has(member) || !value) continue;
        if (member.endsWith("Exception")) context.fail(failure(member, value, context.provider), emit);
        else context.unknown(member, value);
      }
    },
  };
}

function failure(member: string, value: unknown, provider: string) {
  const message: unknown =
    typeof value === "object" && value !== null && "message" in value ? value.message : undefined;
  return providerFailure({ code: member, message }, provider);
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
