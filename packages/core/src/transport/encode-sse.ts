import {
  concat,
  defer,
  filter,
  interval,
  map,
  merge,
  of,
  takeWhile,
  tap,
  type MonoTypeOperatorFunction,
  type OperatorFunction,
} from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";

/** How {@link encodeSse} writes. */
export interface EncodeSseOptions {
  /**
   * Milliseconds between two looks at whether anything was sent: when nothing was since the last look, a
   * comment goes out, so that nothing on the way takes the connection for dead. Default 0: none.
   */
  readonly heartbeat?: number;
}

/**
 * Makes the text of a server-sent event stream of events: one frame with one `data:` line for each, lines
 * ending in LF.
 *
 * ```text
 * source:                     --S-t-------------F|
 * encodeSse({ heartbeat: 5 })
 * result:                     --s-t-----h----h--f|     h: a comment
 * ```
 *
 * Synchronous, but for the heartbeat, whose timer runs only while subscribed. Completes and errors with the
 * source; errors too with what JSON.stringify throws at a value that is no JSON.
 *
 * @experimental
 * @param options - `heartbeat`: milliseconds, default 0 for none
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { encodeSse, events } from "@agrx/core";
 *
 * of(events.stepStarted({ stepName: "plan" }))
 *   .pipe(encodeSse())
 *   .subscribe((frame) => console.log(frame.trimEnd())); // data: {"type":"STEP_STARTED","stepName":"plan"}
 * ```
 */
export function encodeSse({ heartbeat = 0 }: EncodeSseOptions = {}): OperatorFunction<AGUIEvent, string> {
  return (events$) => {
    const frames$ = events$.pipe(map(toFrame));
    return heartbeat > 0 ? frames$.pipe(withHeartbeat(heartbeat)) : frames$;
  };
}

const toFrame = (event: AGUIEvent): string => `data: ${JSON.stringify(event)}\n\n`;

/** One timer a stream, not one an event: that would cost more than the frame. */
const withHeartbeat =
  (milliseconds: number): MonoTypeOperatorFunction<string> =>
  (frames$) =>
    defer(() => {
      let quiet = true;
      const sent$ = frames$.pipe(tap(() => (quiet = false)));
      const looks$ = interval(milliseconds).pipe(
        map(() => {
          const comment = quiet ? ": heartbeat\n\n" : nothing;
          quiet = true;
          return comment;
        }),
      );
      return merge(looks$, concat(sent$, of(end))).pipe(
        takeWhile((frame) => frame !== end),
        filter((frame) => frame !== nothing),
      );
    });

/** No frames, but signs between the parts of the heartbeat. */
const end = "end";
const nothing = "";
