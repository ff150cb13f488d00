import { asyncScheduler, defer, tap, type MonoTypeOperatorFunction } from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";

/** A line of a recorded run: an event, and when it came. */
export interface RecordedEvent {
  /** Milliseconds since subscription. */
  readonly t: number;
  readonly event: AGUIEvent;
}

/** How {@link recordRun} records. */
export interface RecordRunOptions {
  /** Gives the time in milliseconds. Default the clock of rxjs' `asyncScheduler`. */
  readonly now?: () => number;
}

/**
 * Records a run as JSONL: one `{"t":…,"event":…}` a line, `t` in milliseconds since subscription.
 *
 * Passes every event on, synchronously, after it was written; what `write` throws is the stream's error.
 * {@link replayRun} plays the lines back.
 *
 * ```text
 * source:             --S--t--F|
 * recordRun(write)    --w--w--w
 * result:             --S--t--F|
 * ```
 *
 * @param write - receives each line with its line feed
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { events } from "@agrx/core";
 * import { recordRun } from "@agrx/core/middleware";
 *
 * of(events.stepStarted({ stepName: "plan" }))
 *   .pipe(recordRun((line) => console.log(line.trimEnd()), { now: () => 0 })) // {"t":0,"event":{"type":"STEP_STARTED","stepName":"plan"}}
 *   .subscribe();
 * ```
 */
export function recordRun(
  write: (line: string) => void,
  { now = () => asyncScheduler.now() }: RecordRunOptions = {},
): MonoTypeOperatorFunction<AGUIEvent> {
  return (source) =>
    defer(() => {
      const start = now();
      return source.pipe(
        tap((event) => {
          const recorded: RecordedEvent = { t: now() - start, event };
          write(`${JSON.stringify(recorded)}\n`);
        }),
      );
    });
}
