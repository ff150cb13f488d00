import { stateful, type Machine } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { ProviderError } from "../provider-error.js";
import { encryptedFields } from "../encrypted-values.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { readFinishReason } from "./finish-reason.js";
import { createPartialArgumentsWriter, type PartialArgumentsWriter } from "./partial-arguments.js";
import { providerFailure } from "./provider-failure.js";
import { sumOf, tokenUsage } from "./token-count.js";

/** A chunk of `generateContentStream`, as far as it is read; the SDK's `GenerateContentResponse` is one. */
export interface GeminiChunk {
  readonly candidates?: readonly GeminiCandidate[] | null | undefined;
  readonly promptFeedback?:
    | { readonly blockReason?: string | undefined; readonly blockReasonMessage?: string | undefined }
    | undefined;
  readonly usageMetadata?: GeminiUsage | undefined;
  readonly modelVersion?: string | undefined;
  readonly responseId?: string | undefined;
}

/** One candidate of a {@link GeminiChunk}. */
export interface GeminiCandidate {
  readonly index?: number | undefined;
  readonly content?: { readonly parts?: readonly GeminiPart[] | undefined } | null | undefined;
  readonly finishReason?: string | undefined;
  readonly finishMessage?: string | undefined;
}

/** A part of a candidate's content. */
export interface GeminiPart {
  readonly text?: string | undefined;
  readonly thought?: boolean | undefined;
  readonly thoughtSignature?: string | undefined;
  readonly functionCall?: GeminiFunctionCall | undefined;
}

/** A whole call, or a part of one whose arguments are streamed (Vertex only). */
export interface GeminiFunctionCall {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: object | undefined;
  readonly partialArgs?: readonly GeminiPartialArg[] | undefined;
  readonly willContinue?: boolean | undefined;
}

/** A value, or a piece of a string, at a path of the arguments. */
export interface GeminiPartialArg {
  readonly jsonPath?: string | undefined;
  readonly stringValue?: string | undefined;
  readonly numberValue?: number | undefined;
  readonly boolValue?: boolean | undefined;
  readonly nullValue?: string | undefined;
  readonly willContinue?: boolean | undefined;
}

/** Token counts; the last ones count. */
export interface GeminiUsage {
  readonly promptTokenCount?: number | undefined;
  readonly candidatesTokenCount?: number | undefined;
  readonly totalTokenCount?: number | undefined;
  readonly thoughtsTokenCount?: number | undefined;
  readonly cachedContentTokenCount?: number | undefined;
  readonly toolUsePromptTokenCount?: number | undefined;
}

/**
 * Reads the chunks of Gemini's `generateContentStream`, of the Gemini API and of Vertex AI.
 *
 * In: chunks, from the wire or from the SDK's stream. Out: deltas, synchronously. Completes with the source; an
 * error object is an error delta. A call is whole with its part; arguments that Vertex streams by path become
 * JSON text as they come. Thought signatures are encrypted values `google.thought_signature`, on the very call,
 * text or reasoning that they came with.
 *
 * ```text
 * chunks  --t--c--c--f--|                    t: text, c: a whole call, f: finishReason
 * deltas  --t--(SaE)--(SaE)--F--|            S: start, a: arguments, E: end, F: finish
 * ```
 *
 * @example
 * ```ts
 * import { gemini, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * const functionCall = { name: "get_weather", args: { city: "Seoul" } };
 * of({ candidates: [{ content: { parts: [{ functionCall }] }, finishReason: "STOP" }] })
 *   .pipe(gemini(), toToolCalls())
 *   .subscribe((call) => console.log(call.name, call.arguments)); // get_weather {"city":"Seoul"}
 * ```
 */
export function gemini(options?: DecoderOptions): OperatorFunction<GeminiChunk, Delta> {
  return stateful(() => createGeminiDecoder(options));
}

/** The machine of {@link gemini}. */
export function createGeminiDecoder(options?: DecoderOptions): Machine<GeminiChunk, Delta> {
  return createDecoder<GeminiChunk>({ name: "gemini", provider: "google", reader: createReader }, options);
}

/** What the types above leave out. */
interface LooseChunk extends GeminiChunk {
  readonly error?: unknown;
}

interface LooseCandidate extends GeminiCandidate {
  readonly groundingMetadata?: { readonly groundingChunks?: readonly unknown[] };
  readonly citationMetadata?: { readonly citations?: readonly unknown[] };
  readonly urlContextMetadata?: unknown;
  readonly logprobsResult?: unknown;
}

interface LoosePart extends GeminiPart {
  readonly inlineData?: unknown;
  readonly fileData?: unknown;
  readonly executableCode?: { readonly id?: string };
  readonly codeExecutionResult?: { readonly id?: string; readonly outcome?: string };
  readonly toolCall?: { readonly id?: string; readonly toolType?: string; readonly args?: object };
  readonly toolResponse?: { readonly id?: string; readonly response?: unknown };
}

const finishReasons: Readonly<Record<string, FinishReason>> = {
  STOP: "stop",
  MAX_TOKENS: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  LANGUAGE: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  IMAGE_SAFETY: "content-filter",
  IMAGE_PROHIBITED_CONTENT: "content-filter",
  IMAGE_RECITATION: "content-filter",
  CONTINUATION: "pause",
  MALFORMED_FUNCTION_CALL: "error",
  MALFORMED_RESPONSE: "error",
  MISSING_THOUGHT_SIGNATURE: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
};

const chunkFields = new Set(
  "candidates promptFeedback usageMetadata modelVersion responseId error createTime modelStatus sdkHttpResponse automaticFunctionCallingHistory".split(
    " ",
  ),
);
const candidateFields = new Set(
  "index content finishReason finishMessage groundingMetadata citationMetadata urlContextMetadata logprobsResult avgLogprobs tokenCount safetyRatings continuationToken".split(
    " ",
  ),
);
const partFields = new Set(
  "text thought thoughtSignature functionCall inlineData fileData executableCode codeExecutionResult toolCall toolResponse videoMetadata mediaResolution partMetadata mediaProcessing speechMetadata".split(
    " ",
  ),
);

/** Writes the arguments of the call in a slot. */
interface OpenWriter {
  readonly slot: number;
  readonly writer: PartialArgumentsWriter;
}

/** A call that the provider runs, until its result comes. */
interface RunningCall {
  readonly key: string;
  readonly id: string;
  readonly providerId: string | undefined;
}

function createReader(context: DecoderContext): ChunkReader<GeminiChunk> {
  const { calls, provider } = context;
  /** Writers of calls whose arguments are streamed, by the call's key. */
  const writers = new Map<string, OpenWriter>();
  /** The answer came to its natural end: what is still being written is whole. */
  let stopped = false;
  let running: RunningCall[] = [];
  let slots = 0;
  let answerId: string | undefined;
  let model: string | undefined;

  const signed = (signature: string | undefined) => encryptedFields(signature, "google.thought_signature");

  const readCall = (call: GeminiFunctionCall, signature: string | undefined, emit: EmitDelta) => {
    if (call.name) {
      // Every part with a name is a call of its own: there is no index, and the name is no id (TanStack/ai#199).
      const slot = ++slots;
      const streams = call.willContinue === true || call.partialArgs !== undefined;
      const head = {
        slot,
        id: call.id,
        name: call.name,
        index: slot - 1,
        settled: true,
        ...signed(signature),
      };
      calls.part(streams ? head : { ...head, text: call.args ?? {} }, emit);
      if (!streams) calls.end(slot, emit);
      else {
        const key = calls.open(slot)?.key;
        if (key !== undefined) writers.set(key, { slot, writer: createPartialArgumentsWriter() });
        continueCall(call, emit);
      }
    } else continueCall(call, emit);
  };

  const continueCall = (part: GeminiFunctionCall, emit: EmitDelta) => {
    const call = calls.find({ id: part.id });
    const open = call && writers.get(call.key);
    if (call === undefined || open === undefined) {
      context.unknown("candidates.0.content.parts.functionCall", part);
      return;
    }
    const { slot, writer } = open;
    let text = "";
    for (const [name, value] of Object.entries(part.args ?? {})) {
      text += writer.write({ path: `$[${JSON.stringify(name)}]`, value });
    }
    for (const argument of part.partialArgs ?? []) {
      const { jsonPath: path = "", willContinue = false } = argument;
      text += writer.write({ path, value: valueOf(argument), willContinue });
    }
    if (part.willContinue !== true) text += writer.end();
    calls.part({ slot, text }, emit);
    if (part.willContinue === true) return;
    calls.end(slot, emit);
    writers.delete(call.key);
  };

  const startHosted = (
    name: string,
    id: string | undefined,
    args: object,
    signature: string | undefined,
    emit: EmitDelta,
  ) => {
    const slot = ++slots;
    const part = { slot, id, name, text: args, settled: true, providerExecuted: true };
    calls.part({ ...part, ...signed(signature) }, emit);
    const call = calls.open(slot);
    if (call?.id !== undefined) running.push({ key: call.key, id: call.id, providerId: id });
    calls.end(slot, emit);
  };

  const endHosted = (id: string | undefined, result: unknown, isError: boolean, emit: EmitDelta) => {
    const call = running.find(({ providerId }) => providerId === id) ?? running.at(-1);
    running = running.filter((other) => other !== call);
    emit({
      type: "tool-result",
      key: call?.key ?? id ?? "",
      id: call?.id ?? id ?? "",
      result,
      ...(isError && { isError }),
    });
  };

  const readPart = (part: LoosePart, emit: EmitDelta) => {
    const { text, thoughtSignature: signature } = part;
    const type = part.thought ? "reasoning" : "text";
    if (part.functionCall) {
      // A part may say something and call (NousResearch/hermes-agent#109862): its signature is the call's.
      if (text) emit({ type, text });
      readCall(part.functionCall, signature, emit);
    } else if (part.executableCode) {
      const { id, ...args } = part.executableCode;
      startHosted("code_execution", id, args, signature, emit);
    } else if (part.codeExecutionResult) {
      const { id, ...result } = part.codeExecutionResult;
      endHosted(id, result, result.outcome !== "OUTCOME_OK", emit);
    } else if (part.toolCall) {
      const { id, toolType = "tool", args = {} } = part.toolCall;
      startHosted(toolType, id, args, signature, emit);
    } else if (part.toolResponse) endHosted(part.toolResponse.id, part.toolResponse.response, false, emit);
    else {
      const { inlineData, fileData } = part;
      if (inlineData) emit({ type: "custom", name: `${provider}.inlineData`, value: inlineData });
      if (fileData) emit({ type: "custom", name: `${provider}.fileData`, value: fileData });
      // A picture's signature is its message's: there is nothing else that could keep it.
      if (text || signature) emit({ type, text: text ?? "", ...signed(signature) });
    }
    context.unknownFields("candidates.0.content.parts", part, partFields);
  };

  const readCandidate = (candidate: LooseCandidate, emit: EmitDelta) => {
    if ((candidate.index ?? 0) !== 0) return;
    for (const part of candidate.content?.parts ?? []) readPart(part, emit);
    const { groundingMetadata, citationMetadata, urlContextMetadata, logprobsResult } = candidate;
    const metadata = {
      ...(groundingMetadata && {
        "agrx.citations": groundingMetadata.groundingChunks ?? [],
        "google.groundingMetadata": groundingMetadata,
      }),
      ...(citationMetadata && { "agrx.citations": citationMetadata.citations ?? [] }),
      ...(logprobsResult !== undefined && { "agrx.logprobs": logprobsResult }),
    };
    if (Object.keys(metadata).length > 0) emit({ type: "text", text: "", metadata });
    if (urlContextMetadata) {
      emit({ type: "custom", name: `${provider}.urlContextMetadata`, value: urlContextMetadata });
    }
    context.unknownFields("candidates.0", candidate, candidateFields);
    const { finishReason, finishMessage } = candidate;
    if (finishReason === undefined || finishReason === "FINISH_REASON_UNSPECIFIED") return;
    const reason = readFinishReason(finishReason, finishReasons);
    stopped = reason === "stop";
    if (reason === "error" && finishMessage) {
      context.fail(
        new ProviderError({
          code: finishReason,
          message: finishMessage,
          retryable: true,
          provider,
          cause: candidate,
        }),
        emit,
      );
    } else if (reason !== undefined) context.finish(reason, finishReason, emit);
  };

  const readUsage = (usage: GeminiUsage, emit: EmitDelta) => {
    const inputTokens = sumOf(usage.promptTokenCount, usage.toolUsePromptTokenCount);
    if (inputTokens === undefined) return;
    emit({
      type: "usage",
      usage: tokenUsage(provider, model, {
        inputTokens,
        outputTokens: sumOf(usage.candidatesTokenCount, usage.thoughtsTokenCount),
        totalTokens: usage.totalTokenCount,
        reasoningTokens: usage.thoughtsTokenCount,
        cachedInputTokens: usage.cachedContentTokenCount,
      }),
    });
  };

  const read = (chunk: LooseChunk, emit: EmitDelta) => {
    if (chunk.responseId) answerId = chunk.responseId;
    if (chunk.modelVersion) model = chunk.modelVersion;
    for (const candidate of chunk.candidates ?? []) readCandidate(candidate, emit);
    if (chunk.usageMetadata) readUsage(chunk.usageMetadata, emit);
    context.unknownFields("", chunk, chunkFields);
    if (chunk.error) context.fail(providerFailure(chunk.error, provider), emit);
    const blocked = chunk.promptFeedback?.blockReason;
    if (!blocked) return;
    emit({ type: "custom", name: `${provider}.promptFeedback`, value: chunk.promptFeedback });
    context.finish("content-filter", blocked, emit);
  };

  return {
    get anonymous() {
      return answerId === undefined && model === undefined;
    },
    get answerId() {
      return answerId;
    },
    get open() {
      return writers.size > 0;
    },
    push(chunk, emit) {
      // Without `alt=sse` the stream is one JSON array.
      if (Array.isArray(chunk)) for (const item of chunk as readonly LooseChunk[]) read(item, emit);
      else read(chunk, emit);
    },
    end(emit) {
      // The last part of a call may be missing (vercel/ai#14358).
      if (stopped)
        for (const { slot, writer } of writers.values()) calls.part({ slot, text: writer.end() }, emit);
    },
  };
}

function valueOf({ stringValue, numberValue, boolValue }: GeminiPartialArg): unknown {
  return stringValue ?? numberValue ?? boolValue ?? null;
}
