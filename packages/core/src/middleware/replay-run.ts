import {
  asyncScheduler,
  concatMap,
  defer,
  delay,
  from,
  map,
  of,
  type Observable,
  type ObservableInput,
  type SchedulerLike,
} from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { RecordedEvent } from "./record-run.js";

/** How {@link replayRun} plays. */
export interface ReplayRunOptions {
  /** How many times as fast as it was recorded. Default 1; `Infinity` plays at once, synchronously. */
  readonly speed?: number;
  /** What keeps the time. Default rxjs' `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/** A line of a recording is none. */
export class InvalidRecordingError extends Error {
  override readonly name = "InvalidRecordingError";
  readonly code = "invalid-recording";

  constructor(
    /** The line, from 1. */
    readonly line: number,
  ) {
    super(`Line ${line} of the recording is no {"t":…,"event":…}. Give the lines as recordRun wrote them.`);
  }
}

/**
 * Plays a recorded run back, with the pauses it had.
 *
 * ```text
 * lines:                    {t:0}{t:20}{t:60}|
 * replayRun(lines)          S-t---F|
 * replayRun(lines, { speed: Infinity })
 *                           (StF|)
 * ```
 *
 * Cold: each subscription plays from the beginning. Completes after the last line; errors with
 * `InvalidRecordingError` at a line that is none. The events are not checked: `parseEvents` does that.
 *
 * @param lines - the recording's text, or its lines
 * @param options - `speed`: a factor, default 1
 *
 * @example
 * ```ts
 * import { replayRun } from "@agrx/core/middleware";
 *
 * const recording = '{"t":0,"event":{"type":"STEP_STARTED","stepName":"plan"}}\n';
 * replayRun(recording, { speed: Infinity }).subscribe((event) => console.log(event.type)); // STEP_STARTED
 * ```
 */
export function replayRun(
  lines: string | ObservableInput<string>,
  { speed = 1, scheduler = asyncScheduler }: ReplayRunOptions = {},
): Observable<AGUIEvent> {
  return defer(() => {
    let played = 0;
    return from(typeof lines === "string" ? lines.trimEnd().split("\n") : lines).pipe(
      map((line, index) => parseLine(line, index + 1)),
      concatMap(({ t, event }) => {
        const wait = (t - played) / speed;
        played = t;
        return wait > 0 ? of(event).pipe(delay(wait, scheduler)) : of(event);
      }),
    );
  });
}

function parseLine(line: string, number: number): RecordedEvent {
  try {
    const recorded = JSON.parse(line) as RecordedEvent;
    if (typeof recorded.t === "number" && typeof recorded.event?.type === "string") return recorded;
  } catch {
    // falls through to the error that names the line
  }
  throw new InvalidRecordingError(number);
}
