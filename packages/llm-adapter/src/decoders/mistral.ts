import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { createChatContentReader } from "./chat-content.js";
import { readChatUsage, type ChatUsage } from "./chat-usage.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { providerFailure } from "./provider-failure.js";

/** A chunk of Mistral's chat completions as it stands on the wire, or as the SDK renames it. */
export interface MistralChunk {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  readonly choices?: readonly MistralChoice[] | undefined;
}

/** The event that the official SDK's stream yields. */
export interface MistralEvent {
  readonly data: MistralChunk;
}

/** One choice of a {@link MistralChunk}. */
export interface MistralChoice {
  readonly index?: number | undefined;
  readonly delta?: MistralDelta | undefined;
}

/** What a choice adds to the answer. */
export interface MistralDelta {
  readonly content?: string | readonly object[] | null | undefined;
  readonly tool_calls?: readonly object[] | null | undefined;
  readonly toolCalls?: readonly object[] | null | undefined;
}

/**
 * Reads the chunks of Mistral's chat completions.
 *
 * In: chunks from the wire, or the events of the official SDK. Out: deltas, synchronously. Completes with the
 * source; a provider's error is an error delta. Calls end at a finish, as in {@link openaiChat}; thinking is
 * reasoning.
 *
 * ```text
 * chunks  --h--a--a--f--|      h: a call's head, a: arguments, f: finish_reason
 * deltas  -----S--a--E--|      S: start and the first arguments, E: end and finish
 * ```
 *
 * @example
 * ```ts
 * import { mistral, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * const call = { id: "gSIMJiOkT", function: { name: "get_weather", arguments: { city: "Seoul" } } };
 * of({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] })
 *   .pipe(mistral(), toToolCalls())
 *   .subscribe(({ id, name }) => console.log(id, name)); // gSIMJiOkT get_weather
 * ```
 */
export function mistral(options?: DecoderOptions): OperatorFunction<MistralChunk | MistralEvent, Delta> {
  return stateful(() => createMistralDecoder(options));
}

/** The machine of {@link mistral}. */
export function createMistralDecoder(options?: DecoderOptions): Machine<MistralChunk | MistralEvent, Delta> {
  return createDecoder<MistralChunk | MistralEvent>(
    { name: "mistral", provider: "mistral", reader: createReader },
    options,
  );
}

/** Both spellings of a chunk: the wire's, and the SDK's where it differs. */
interface LooseChunk extends Omit<MistralChunk, "choices"> {
  readonly choices?: readonly LooseChoice[] | undefined;
  readonly usage?: ChatUsage;
  readonly object?: unknown;
  readonly error?: unknown;
}

interface LooseChoice extends Omit<MistralChoice, "delta"> {
  readonly delta?: LooseDelta | undefined;
  readonly finish_reason?: string | null;
  readonly finishReason?: string | null;
}

interface LooseDelta extends Omit<MistralDelta, "tool_calls" | "toolCalls"> {
  readonly tool_calls?: readonly LooseToolCall[] | null;
  readonly toolCalls?: readonly LooseToolCall[] | null;
}

interface LooseToolCall {
  readonly id?: unknown;
  readonly index?: number | null;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  model_length: "length",
  tool_calls: "tool-calls",
  error: "error",
};

const chunkFields = new Set("id object created model choices usage error p".split(" "));
const choiceFields = new Set("index delta finish_reason finishReason logprobs".split(" "));
const deltaFields = new Set(
  "role content tool_calls toolCalls tool_call_id toolCallId index metadata prefix".split(" "),
);

function createReader(context: DecoderContext): ChunkReader<MistralChunk | MistralEvent> {
  const { calls, provider } = context;
  const content = createChatContentReader(context);
  let answerId: string | undefined;
  let model: string | undefined;

  const readCall = ({ id, index, function: named }: LooseToolCall, emit: EmitDelta) => {
    const position = typeof index === "number" ? { index } : {};
    calls.part({ slot: index, id, name: named?.name, text: named?.arguments, ...position }, emit);
  };

  const readChoice = (choice: LooseChoice, emit: EmitDelta) => {
    if ((choice.index ?? 0) !== 0) return;
    const { delta } = choice;
    if (delta) {
      if (delta.content) content.text(delta.content, undefined, emit);
      for (const call of delta.tool_calls ?? delta.toolCalls ?? []) readCall(call, emit);
      context.unknownFields("choices.0.delta", delta, deltaFields);
    }
    context.unknownFields("choices.0", choice, choiceFields);
    const raw = choice.finish_reason ?? choice.finishReason;
    const reason = readFinishReason(raw, finishReasons);
    if (reason !== undefined) context.finish(reason, raw ?? "", emit);
  };

  return {
    get anonymous() {
      return answerId === undefined && model === undefined;
    },
    get answerId() {
      return answerId;
    },
    push(given, emit) {
      const chunk = ("data" in given ? given.data : given) as LooseChunk;
      if (chunk.id) answerId = chunk.id;
      if (chunk.model) model = chunk.model;
      for (const choice of chunk.choices ?? []) readChoice(choice, emit);
      if (chunk.usage) {
        emit({ type: "usage", usage: readChatUsage(wireUsage(chunk.usage), provider, model) });
      }
      context.unknownFields("", chunk, chunkFields);
      if (chunk.error) context.fail(providerFailure(chunk.error, provider), emit);
      else if (chunk.object === "error") context.fail(providerFailure(chunk, provider), emit);
    },
  };
}

/** The SDK's names of the counts, as the wire has them. */
function wireUsage(usage: ChatUsage): ChatUsage {
  if (!("promptTokens" in usage)) return usage;
  const { promptTokens, completionTokens, totalTokens, ...rest } = usage as Record<string, number>;
  return {
    ...rest,
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
  };
}
