import { createParser, type ParseError } from "eventsource-parser";
import type { OperatorFunction } from "rxjs";
import { createEventParser } from "../boundary/event-parser.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { stateful, type Machine } from "../stream/stateful.js";
import { createLineFeeds } from "./line-feeds.js";
import { SseError, type SseErrorCode } from "./sse-error.js";

/** How {@link decodeSse} reads. */
export interface DecodeSseOptions extends WarningOptions {
  /**
   * The longest frame, in characters: a longer one is an error, so that a peer that never ends its frame
   * cannot fill the memory. Default 10 Mi (10,485,760).
   */
  readonly maxFrameLength?: number;
}

/**
 * Makes events of the bytes, or the text, of a server-sent event stream, cut anywhere: inside a character,
 * inside a CRLF, inside a field's name.
 *
 * ```text
 * source:       --b-----b--b--b--|     b: some bytes
 * decodeSse()
 * result:       --(SS)-----t--t--|
 * ```
 *
 * Lines end in LF, CR or CRLF. Comments, frames without data and all fields but `data` are skipped, and so is
 * a byte order mark. Bytes that are no UTF-8 read as U+FFFD, as browsers do it. The events then pass the checks
 * of {@link parseEvents}, with its warnings.
 *
 * Synchronous: the events of a fragment go out while it comes in. Completes with the source; whether the run
 * was whole is for the verifier to say. Unsubscribing leaves the source at once. Errors with the source, with
 * {@link InvalidEventError}, and with {@link SseError}: `truncated` when the source completes inside a frame,
 * `invalid-json`, `frame-too-large`.
 *
 * @experimental
 * @param options - `onWarning`: receives each warning; by default they are dropped. `maxFrameLength`: in
 * characters, default 10 Mi
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { decodeSse } from "@agrx/core";
 *
 * of('data: {"type":"STEP_STARTED",', '"stepName":"plan"}\n\n')
 *   .pipe(decodeSse())
 *   .subscribe((event) => console.log(event.type)); // STEP_STARTED
 * ```
 */
export function decodeSse(options?: DecodeSseOptions): OperatorFunction<Uint8Array | string, AGUIEvent> {
  return stateful(() => createSseDecoder(options));
}

const probe = "end";

/** The machine of {@link decodeSse}. */
export function createSseDecoder({
  maxFrameLength = 10 * 1024 * 1024,
  ...warnings
}: DecodeSseOptions = {}): Machine<Uint8Array | string, AGUIEvent> {
  const events = createEventParser(warnings);
  const decoder = new TextDecoder();
  const toLineFeeds = createLineFeeds();
  let started = false;
  let lineEnded = true;
  let ending = false;
  let frame = 0;
  let emitEvent: (event: AGUIEvent) => void;

  const parser = createParser({
    maxBufferSize: maxFrameLength,
    onEvent({ data, event: name, id }) {
      if (ending) {
        if (data === probe && name === undefined && id === undefined) return;
        throw truncated();
      }
      if (data === "") return; // to browsers too, a frame without data is none
      const event = events.parse(parseJson(data));
      frame++;
      if (event !== undefined) emitEvent(event);
    },
    onError({ type }: ParseError) {
      if (type === "max-buffer-size-exceeded") throw tooLarge();
      if (ending) throw truncated(); // the end of the stream cut a field's name
    },
  });

  return {
    push(fragment, emit) {
      emitEvent = emit;
      let text = typeof fragment === "string" ? fragment : decoder.decode(fragment, { stream: true });
      if (!started && text !== "") {
        started = true;
        if (text.startsWith("\uFEFF")) text = text.slice(1);
      }
      const lines = toLineFeeds(text);
      if (lines !== "") lineEnded = lines.endsWith("\n");
      parser.feed(lines);
    },
    end() {
      ending = true;
      // The parser does not tell what it holds: a frame of our own comes out as it is only when that is nothing.
      const rest = decoder.decode();
      parser.feed(`${rest}${lineEnded && rest === "" ? "" : "\n"}data: ${probe}\n\n`);
    },
  };

  function parseJson(data: string): unknown {
    if (data.length > maxFrameLength) throw tooLarge();
    try {
      return JSON.parse(data);
    } catch {
      // The engine's own message quotes the payload.
      throw failure("invalid-json", "holds no JSON. Send one event as JSON in each frame.");
    }
  }

  function truncated(): SseError {
    return failure("truncated", "was cut: the connection broke. Run again with a new runId.");
  }

  function tooLarge(): SseError {
    return failure("frame-too-large", `is longer than maxFrameLength, ${maxFrameLength} characters.`);
  }

  function failure(code: SseErrorCode, what: string): SseError {
    return new SseError(code, `Frame ${frame} ${what}`, { frame });
  }
}
