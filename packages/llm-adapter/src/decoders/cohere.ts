import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { providerFailure } from "./provider-failure.js";
import { tokenUsage } from "./token-count.js";

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
  readonly message?: {
    readonly content?: Content | readonly Content[];
    readonly tool_plan?: string;
    readonly toolPlan?: string;
    readonly tool_calls?: Call;
    readonly toolCalls?: Call;
    readonly citations?: unknown;
  };
  readonly finish_reason?: string;
  readonly finishReason?: string;
  readonly usage?: {
    readonly tokens?: Tokens;
    readonly cached_tokens?: number;
    readonly cachedTokens?: number;
  };
  readonly error?: unknown;
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
  TIMEOUT: "error",
};

function createReader(context: DecoderContext): ChunkReader<CohereChunk> {
  const { calls, provider } = context;
  const citations: unknown[] = [];
  let answerId: string | undefined;

  const readContent = (index: number, content: ChunkDelta["message"], emit: EmitDelta) => {
    const key = String(index);
    for (const { text, thinking } of [content?.content ?? []].flat()) {
      if (text) emit({ type: "text", text, key });
      if (thinking) emit({ type: "reasoning", text: thinking, key });
    }
  };

  const end = ({ finish_reason, finishReason, usage, error }: ChunkDelta, emit: EmitDelta) => {
    const raw = finish_reason ?? finishReason;
    if (usage?.tokens) {
      const { tokens } = usage;
      const inputTokens = tokens.input_tokens ?? tokens.inputTokens;
      const outputTokens = tokens.output_tokens ?? tokens.outputTokens;
      const cachedInputTokens = usage.cached_tokens ?? usage.cachedTokens;
      emit({
        type: "usage",
        usage: tokenUsage(provider, undefined, { inputTokens, outputTokens, cachedInputTokens }),
      });
    }
    if (error) {
      context.fail(providerFailure({ code: raw, message: error }, provider), emit);
      return;
    }
    const reason = readFinishReason(raw, finishReasons);
    if (reason !== undefined) context.finish(reason, raw ?? "", emit);
  };

  return {
    get answerId() {
      return answerId;
    },
    push(chunk, emit) {
      const delta: ChunkDelta = chunk.delta ?? {};
      const index = chunk.index ?? 0;
      const call = delta.message?.tool_calls ?? delta.message?.toolCalls;
      const part = { slot: index, id: call?.id, name: call?.function?.name, text: call?.function?.arguments };
      switch (chunk.type) {
        case "message-start":
          answerId = chunk.id;
          break;
        case "content-start":
        case "content-delta":
          readContent(index, delta.message, emit);
          break;
        case "tool-plan-delta": {
          const text = delta.message?.tool_plan ?? delta.message?.toolPlan;
          if (text) emit({ type: "reasoning", text, key: "tool-plan" });
          break;
        }
        case "tool-call-start":
          calls.part({ ...part, index, settled: true }, emit);
          break;
        case "tool-call-delta":
          calls.part(part, emit);
          break;
        case "tool-call-end":
          calls.end(index, emit);
          break;
        case "citation-start":
          citations.push(delta.message?.citations);
          emit({ type: "text", text: "", metadata: { "agrx.citations": [...citations] } });
          break;
        case "message-end":
          end(delta, emit);
          break;
        case "content-end":
        case "citation-end":
        case "debug":
          break;
        default:
          if ("error" in chunk || "message" in chunk) context.fail(providerFailure(chunk, provider), emit);
          else context.unknown(chunk.type ?? "", chunk);
      }
    },
  };
}
