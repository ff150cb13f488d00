import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import type { Machine } from "@agrx/core";
import { createCallTracker, type CallTracker } from "../calls/call-tracker.js";
import { ProviderError } from "../provider-error.js";
import type { DecoderOptions } from "./decoder-options.js";
import { effectiveReason } from "./finish-reason.js";
import { truncatedError } from "./truncated-error.js";

/** What a decoder's own readers work with. */
export interface DecoderContext {
  /** Lower-case vendor id. */
  readonly provider: string;
  readonly calls: CallTracker;
  /** Tells of something that the decoder does not know. */
  unknown(path: string, value: unknown): void;
  /** Whether somebody listens to {@link DecoderContext.unknown}: only then are fields looked through. */
  readonly curious: boolean;
  /** Tells of the fields of an object that are not in a list. */
  unknownFields(path: string, value: object, known: ReadonlySet<string>): void;
  /** Another answer begins in the same stream: what is asked of an answer is asked of this one from here. */
  begin(): void;
  /** The provider finished its answer: ends the open calls, then says why it stopped; "error" fails. */
  finish(reason: FinishReason, raw: string, emit: EmitDelta): void;
  /** The provider failed: what is open is incomplete, and nothing more is expected. */
  fail(error: ProviderError, emit: EmitDelta): void;
}

/** A wire format: its name, its vendor, and how one chunk of it is read. */
export interface WireFormat<Chunk> {
  /** The decoder's name, such as `openaiChat`. */
  readonly name: string;
  readonly provider: string;
  /** Makes the reader of one answer's chunks. */
  reader(context: DecoderContext): ChunkReader<Chunk>;
}

/** Reads the chunks of one answer. */
export interface ChunkReader<Chunk> {
  push(chunk: Chunk, emit: EmitDelta): void;
  /** The stream ended: emits what was held back. */
  end?(emit: EmitDelta): void;
  /** The answer's id, once known: synthetic call ids begin with it. */
  readonly answerId?: string | undefined;
  /** Whether a block other than a call is open, which the provider would have closed. */
  readonly open?: boolean;
  /**
   * Whether no chunk has said whose answer it is, by an id or a model, as every provider's do: such a stream was
   * written by hand, and its finish is not missed. Default: false.
   */
  readonly anonymous?: boolean;
}

/**
 * Makes the machine of a decoder: the format reads chunks, this keeps what holds for all formats.
 *
 * A stream that just ends, with no finish, is an error `truncated`, unless it gave at least one call and every
 * one of them is whole, or was written by hand.
 */
export function createDecoder<Chunk>(
  format: WireFormat<Chunk>,
  options: DecoderOptions = {},
): Machine<Chunk, Delta> {
  const provider = options.provider ?? format.provider;
  const { onUnknown } = options;
  let failed = false;
  let some = false;
  /** The last finish, and what it was told as; nothing yet while its calls wait for what follows. */
  let last: { readonly reason: FinishReason; readonly raw: string; told?: FinishReason } | undefined;

  const unknown = (path: string, value: unknown) => onUnknown?.({ decoder: format.name, path, value });
  const calls = createCallTracker({
    provider,
    idPrefix: () => reader.answerId,
    onStray: (part) => unknown("toolCall", part),
  });
  const context: DecoderContext = {
    provider,
    calls,
    unknown,
    curious: onUnknown !== undefined,
    unknownFields(path, value, known) {
      if (onUnknown === undefined) return;
      for (const [field, content] of Object.entries(value)) {
        if (known.has(field) || content === null || content === undefined) continue;
        unknown(path === "" ? field : `${path}.${field}`, content);
      }
    },
    begin() {
      last = undefined;
      calls.begin();
    },
    finish(reason, raw, emit) {
      if (reason === "error") {
        context.fail(stopped(provider, raw), emit);
        return;
      }
      // The same finish may come with every chunk (linagora/openrag#462): it is told once.
      if (last?.reason !== reason || last.raw !== raw) last = { reason, raw };
      if (calls.finish(reason, emit)) tellFinish(emit);
    },
    fail(error, emit) {
      failed = true;
      calls.fail(emit);
      emit({ type: "error", error });
    },
  };
  const reader: ChunkReader<Chunk> = format.reader(context);

  /** Says why the model stopped, again when a call came after it was said (Chevey339/kelivo#1002). */
  const tellFinish = (emit: EmitDelta) => {
    if (last === undefined) return;
    const reason = effectiveReason(last.reason, calls.some);
    if (reason !== last.told) emit({ type: "finish", reason, raw: last.raw });
    last.told = reason;
  };

  return {
    push(chunk, emit) {
      some = true;
      if (typeof chunk === "object" && chunk !== null) reader.push(chunk, emit);
      else unknown("", chunk);
    },
    end(emit) {
      reader.end?.(emit);
      if (failed) return;
      calls.stop(emit);
      tellFinish(emit);
      if (last !== undefined || calls.broken) return;
      if ((calls.some || (some && reader.anonymous === true)) && reader.open !== true) {
        emit({ type: "finish", reason: effectiveReason("stop", calls.some), raw: "", implied: true });
        return;
      }
      emit({ type: "error", error: truncatedError(provider) });
    },
    fail: (_error, emit) => calls.fail(emit),
  };
}

function stopped(provider: string, raw: string): ProviderError {
  return new ProviderError({
    code: raw,
    message: `"${provider}" stopped its answer with "${raw}".`,
    retryable: true,
    provider,
  });
}
