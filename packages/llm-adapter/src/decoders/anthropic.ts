import { stateful, type Machine, type Metadata, type TokenUsage } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { encryptedFields } from "../encrypted-values.js";
import { metadataKeys } from "../metadata-keys.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { providerFailure } from "./provider-failure.js";
import { sumOf, tokenUsage } from "./token-count.js";
import { truncatedError } from "./truncated-error.js";

/** An event of Anthropic's Messages API, as far as it is read; the SDK's `RawMessageStreamEvent` is one. */
export interface AnthropicChunk {
  readonly type: string;
  readonly index?: number;
  readonly message?: AnthropicMessage;
  readonly content_block?: AnthropicBlock;
  readonly delta?: AnthropicDelta;
  readonly usage?: AnthropicUsage | null;
}

/** The message that a stream begins with; some come with content. */
export interface AnthropicMessage {
  readonly id?: string;
  readonly model?: string;
  readonly content?: readonly AnthropicBlock[];
  readonly stop_reason?: string | null;
  readonly usage?: AnthropicUsage | null;
}

/** A content block of any type. */
export interface AnthropicBlock {
  readonly type: string;
}

/** What an event adds to a block or to the message. */
export interface AnthropicDelta {
  readonly type?: string;
  readonly stop_reason?: string | null;
}

/** Token counts; those of a `message_delta` replace those before. */
export interface AnthropicUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number | null } | null;
}

/**
 * Reads the events of Anthropic's Messages API.
 *
 * In: events, from the wire or from the SDK's stream. Out: deltas, synchronously. Completes with the source; an
 * `error` event is an error delta. A call ends at its `content_block_stop`. Tools that Anthropic or an MCP
 * server runs are `providerExecuted`, and their results are read; signatures and redacted thinking are
 * encrypted values `anthropic.signature` and `anthropic.redacted_thinking`.
 *
 * ```text
 * events  --s--d--d--x--m--|    s: content_block_start, d: delta, x: content_block_stop, m: message_delta
 * deltas  --S--f--f--E--F--|    S: start, f: fragment, E: end, F: finish
 * ```
 *
 * @example
 * ```ts
 * import { anthropic, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * of(
 *   { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t1", name: "now", input: {} } },
 *   { type: "content_block_stop", index: 0 },
 *   { type: "message_delta", delta: { stop_reason: "tool_use" } },
 * )
 *   .pipe(anthropic(), toToolCalls())
 *   .subscribe((call) => console.log(call.name, call.arguments)); // now {}
 * ```
 */
export function anthropic(options?: DecoderOptions): OperatorFunction<AnthropicChunk, Delta> {
  return stateful(() => createAnthropicDecoder(options));
}

/** The machine of {@link anthropic}. */
export function createAnthropicDecoder(options?: DecoderOptions): Machine<AnthropicChunk, Delta> {
  return createDecoder({ name: "anthropic", provider: "anthropic", reader: createReader }, options);
}

/** A block with the fields that one type or another has. */
interface LooseBlock extends AnthropicBlock {
  readonly text?: string | null;
  readonly citations?: readonly unknown[] | null;
  readonly thinking?: string | null;
  readonly signature?: string | null;
  readonly data?: string | null;
  readonly id?: string | null;
  readonly name?: string | null;
  readonly input?: unknown;
  readonly caller?: unknown;
  readonly server_name?: unknown;
  readonly toolset_name?: unknown;
  readonly tool_use_id?: string | null;
  readonly content?: unknown;
  readonly is_error?: boolean | null;
}

interface LooseDelta extends AnthropicDelta {
  readonly text?: string | null;
  readonly thinking?: string | null;
  readonly signature?: string | null;
  readonly partial_json?: string | null;
  readonly citation?: unknown;
  readonly content?: unknown;
  readonly stop_details?: unknown;
  readonly container?: unknown;
}

/** Where the message itself, or its last event, says more. */
interface LooseMessage {
  readonly container?: unknown;
  readonly context_management?: unknown;
}

const stopReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  tool_use: "tool-calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content-filter",
  pause_turn: "pause",
  compaction: "pause",
  // What compatible servers say instead.
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  content_filter: "content-filter",
};

const callTypes: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

/** Blocks that are no text, reasoning or call: told as they are. */
const toldTypes: ReadonlySet<string> = new Set(["fallback", "container_upload", "mcp_tool_listing"]);

/** A block that is open, other than a call. */
interface OpenBlock {
  readonly type: string;
  /** Groups the fragments of a thinking block. */
  readonly key: string;
  /** A compaction block as far as it has come: it goes back as it is. */
  compaction?: LooseBlock;
}

function createReader(context: DecoderContext): ChunkReader<AnthropicChunk> {
  const { calls, provider } = context;
  const blocks = new Map<number, OpenBlock>();
  /** Arguments that a call's start brought whole: they count only when no fragment follows. */
  const inputs = new Map<number | string, unknown>();
  /** Keys of provider-run calls whose results are to come, by id. */
  const running = new Map<string, string>();
  let messageId: string | undefined;
  let model: string | undefined;
  let open = false;
  let stopped = false;
  let blockCount = 0;
  let citations: readonly unknown[] = [];
  let usage: AnthropicUsage = {};

  const startCall = (slot: number | string, block: LooseBlock, emit: EmitDelta) => {
    const providerExecuted = block.type !== "tool_use";
    calls.part(
      {
        slot,
        id: block.id,
        name: block.name,
        settled: true,
        providerExecuted,
        metadata: callMetadata(block),
      },
      emit,
    );
    inputs.set(slot, block.input);
    const key = calls.open(slot)?.key;
    if (providerExecuted && key !== undefined && block.id) running.set(block.id, key);
  };

  const endCall = (slot: number | string, emit: EmitDelta) => {
    const call = calls.open(slot);
    if (call === undefined) return;
    // The start's `input: {}` is a placeholder, anything else is the whole input.
    if (call.text === "" && isFilled(inputs.get(slot))) calls.part({ slot, text: inputs.get(slot) }, emit);
    inputs.delete(slot);
    calls.end(slot, emit);
  };

  const readResult = (block: LooseBlock, emit: EmitDelta) => {
    const id = block.tool_use_id ?? "";
    calls.settle(emit);
    emit({
      type: "tool-result",
      key: running.get(id) ?? id,
      id,
      result: block.content,
      metadata: { [metadataKeys.anthropicType]: block.type },
      ...((block.is_error || isErrorContent(block.content)) && { isError: true }),
    });
    running.delete(id);
  };

  const cite = (added: readonly unknown[], emit: EmitDelta) => {
    citations = [...citations, ...added];
    emit({ type: "text", text: "", metadata: { "agrx.citations": citations } });
  };

  const startBlock = (slot: number | string, block: LooseBlock, emit: EmitDelta): OpenBlock | undefined => {
    if (callTypes.has(block.type)) {
      startCall(slot, block, emit);
      return undefined;
    }
    calls.settle(emit);
    const key = String(++blockCount);
    if (block.type.endsWith("_tool_result") && block.tool_use_id) readResult(block, emit);
    else if (block.type === "text") {
      if (block.text) emit({ type: "text", text: block.text });
      if (block.citations?.length) cite(block.citations, emit);
    } else if (block.type === "thinking") {
      if (block.thinking) emit({ type: "reasoning", text: block.thinking, key });
      if (block.signature) emit(signatureDelta(key, block.signature));
    } else if (block.type === "redacted_thinking") {
      const redacted = encryptedFields(block.data, "anthropic.redacted_thinking");
      if (redacted) emit({ type: "reasoning", text: "", key, ...redacted });
    } else if (toldTypes.has(block.type)) {
      emit({ type: "custom", name: `${provider}.${block.type}`, value: block });
    } else if (block.type === "compaction") return { type: block.type, key, compaction: block };
    else context.unknown(`content_block.${block.type}`, block);
    return { type: block.type, key };
  };

  const signatureDelta = (key: string, signature: string): Delta => ({
    type: "reasoning",
    text: "",
    key,
    ...encryptedFields(signature, "anthropic.signature"),
  });

  const stopBlock = (slot: number, emit: EmitDelta) => {
    endCall(slot, emit);
    const block = blocks.get(slot);
    if (block?.compaction) {
      emit({ type: "custom", name: `${provider}.compaction`, value: block.compaction });
    }
    blocks.delete(slot);
  };

  const readDelta = (slot: number, delta: LooseDelta, emit: EmitDelta) => {
    const block = blocks.get(slot);
    switch (delta.type) {
      case "input_json_delta":
        calls.part({ slot, text: delta.partial_json }, emit);
        break;
      case "text_delta":
        if (delta.text) emit({ type: "text", text: delta.text });
        break;
      case "thinking_delta":
        if (delta.thinking)
          emit({ type: "reasoning", text: delta.thinking, key: block?.key ?? String(slot) });
        break;
      case "signature_delta":
        if (delta.signature) emit(signatureDelta(block?.key ?? String(slot), delta.signature));
        break;
      case "citations_delta":
        cite([delta.citation], emit);
        break;
      case "compaction_delta":
        if (block?.compaction) block.compaction = grown(block.compaction, delta);
        break;
      default:
        context.unknown(`content_block_delta.${delta.type}`, delta);
    }
  };

  const readUsage = (counts: AnthropicUsage | null | undefined, emit: EmitDelta) => {
    if (!counts) return;
    const given = Object.entries(counts).filter(([, count]) => count !== null && count !== undefined);
    usage = { ...usage, ...Object.fromEntries(given) };
    emit({ type: "usage", usage: toTokenUsage(usage, provider, model) });
  };

  const tellSome = (values: Readonly<Record<string, unknown>>, emit: EmitDelta) => {
    for (const [what, value] of Object.entries(values)) {
      if (value) emit({ type: "custom", name: `${provider}.${what}`, value });
    }
  };

  const finish = (stopReason: string | null | undefined, emit: EmitDelta) => {
    const reason = readFinishReason(stopReason, stopReasons);
    if (reason === undefined) return;
    stopped = true;
    context.finish(reason, stopReason ?? "", emit);
  };

  const startMessage = (message: AnthropicMessage, emit: EmitDelta) => {
    // Some servers send the start twice; another id while a message is open means that the first was cut.
    if (open && !stopped) {
      if (message.id === messageId) return;
      calls.fail(emit);
      if (blocks.size > 0) context.fail(truncatedError(provider), emit);
    }
    context.begin();
    messageId = message.id;
    model = message.model ?? model;
    open = true;
    stopped = false;
    usage = {};
    citations = [];
    blocks.clear();
    inputs.clear();
    for (const [at, block] of (message.content ?? []).entries()) {
      const slot = `content-${at}`;
      startBlock(slot, block, emit);
      endCall(slot, emit);
    }
    readUsage(message.usage, emit);
    const { container, context_management } = message as LooseMessage;
    tellSome({ container, context_management }, emit);
    finish(message.stop_reason, emit);
  };

  return {
    get anonymous() {
      return messageId === undefined && model === undefined;
    },
    get answerId() {
      return messageId;
    },
    get open() {
      return blocks.size > 0;
    },
    push(chunk, emit) {
      switch (chunk.type) {
        case "content_block_delta":
          if (chunk.delta) readDelta(chunk.index ?? 0, chunk.delta, emit);
          break;
        case "content_block_start": {
          const slot = chunk.index ?? 0;
          const block = chunk.content_block && startBlock(slot, chunk.content_block, emit);
          if (block !== undefined) blocks.set(slot, block);
          break;
        }
        case "content_block_stop":
          stopBlock(chunk.index ?? 0, emit);
          break;
        case "message_start":
        case "message":
          // A server that does not stream sends the message alone.
          startMessage(chunk.message ?? chunk, emit);
          break;
        case "message_delta": {
          const { stop_details, container } = (chunk.delta ?? {}) as LooseDelta;
          const { context_management } = chunk as LooseMessage;
          readUsage(chunk.usage, emit);
          tellSome({ container, stop_details, context_management }, emit);
          finish(chunk.delta?.stop_reason, emit);
          break;
        }
        case "message_stop":
          if (open && !stopped) context.finish("stop", "", emit);
          open = false;
          break;
        case "ping":
          break;
        case "error":
          context.fail(providerFailure(chunk, provider), emit);
          break;
        default:
          if ("error" in chunk && chunk.error) context.fail(providerFailure(chunk, provider), emit);
          else context.unknown(chunk.type, chunk);
      }
    },
  };
}

function callMetadata({ type, caller, server_name, toolset_name }: LooseBlock): Metadata | undefined {
  if (type === "tool_use" && !caller && !toolset_name) return undefined;
  return {
    ...(type !== "tool_use" && { [metadataKeys.anthropicType]: type }),
    ...(caller ? { "anthropic.caller": caller } : {}),
    ...(server_name ? { [metadataKeys.anthropicServerName]: server_name } : {}),
    ...(toolset_name ? { "anthropic.toolsetName": toolset_name } : {}),
  };
}

function grown(compaction: LooseBlock, { type: _type, content, ...rest }: LooseDelta): LooseBlock {
  const before = typeof compaction.content === "string" ? compaction.content : "";
  return {
    ...compaction,
    ...rest,
    content: typeof content === "string" ? before + content : compaction.content,
  };
}

function isFilled(input: unknown): boolean {
  return typeof input === "object" && input !== null && Object.keys(input).length > 0;
}

function isErrorContent(content: unknown): boolean {
  const type: unknown = typeof content === "object" && content !== null && "type" in content && content.type;
  return typeof type === "string" && type.endsWith("_error");
}

function toTokenUsage(usage: AnthropicUsage, provider: string, model: string | undefined): TokenUsage {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  // Anthropic counts what the cache gave and took beside the input; AG-UI counts it in.
  const inputTokens = sumOf(input_tokens, cache_read_input_tokens, cache_creation_input_tokens);
  return tokenUsage(provider, model, {
    inputTokens,
    outputTokens: output_tokens,
    totalTokens: sumOf(inputTokens, output_tokens),
    reasoningTokens: usage.output_tokens_details?.thinking_tokens,
    cachedInputTokens: cache_read_input_tokens,
    cacheWriteInputTokens: cache_creation_input_tokens,
  });
}
