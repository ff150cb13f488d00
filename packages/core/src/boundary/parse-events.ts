import type { OperatorFunction } from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { stateful } from "../stream/stateful.js";
import { createEventParser } from "./event-parser.js";

/**
 * Makes events of JSON values from outside, as the protocol's processing rules say: what the protocol does
 * not describe is taken away with a warning, what it describes but is wrong is an error.
 *
 * ```text
 * source:         --S--t--?--e--x--|     ?: an unknown event, x: a text message whose delta is a number
 * parseEvents()
 * result:         --S--t-----e--#
 * ```
 *
 * Takes values as JSON.parse gives them; {@link decodeSse} takes the bytes of a response. An event with
 * nothing to take away passes as the very same object. Warnings go to `onWarning`, by their code:
 *
 * - `unknown-event`: an event of an unknown type was dropped.
 * - `unknown-property`: a property that the protocol does not describe was removed. Metadata, state, activity
 *   content, payloads and patch operations are data: what is in them stays.
 * - `unknown-value`: an unknown role, part, outcome, patch operation or other member of a closed set. In an
 *   optional field it was removed, in a list its element was dropped, in a required field what contains it went.
 * - `retired-shape`: a shape from before 1.0 was read as what took its place: THINKING events (their reasoning
 *   events get the ids `<runId>-thinking-1`, ...), `{ type: "binary" }` parts, and `null` for a field that
 *   should have been left out.
 * - `protocol-version`: RUN_STARTED declares a version that is newer than 1.1, or none at all.
 *
 * Synchronous. Completes with the source; errors with the source, and with {@link InvalidEventError} at the
 * first event with a known field of the wrong type or shape. Unsubscribing leaves the source at once.
 *
 * @experimental
 * @param options - `onWarning`: receives each warning; by default they are dropped
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { parseEvents } from "@agrx/core";
 *
 * const wire = [
 *   { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: "Hi", mood: "good" },
 *   { type: "FROM_THE_FUTURE" },
 * ];
 * from(wire)
 *   .pipe(parseEvents({ onWarning: (warning) => console.log(warning.code) })) // unknown-property, unknown-event
 *   .subscribe((event) => console.log(Object.keys(event).join())); // type,messageId,delta
 * ```
 */
export function parseEvents(options?: WarningOptions): OperatorFunction<unknown, AGUIEvent> {
  return stateful(() => {
    const parser = createEventParser(options);
    return {
      push(value, emit) {
        const event = parser.parse(value);
        if (event !== undefined) emit(event);
      },
      end() {},
    };
  });
}
