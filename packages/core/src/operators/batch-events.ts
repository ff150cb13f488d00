import {
  animationFrames,
  asyncScheduler,
  concatMap,
  defer,
  endWith,
  from,
  ignoreElements,
  map,
  merge,
  type MonoTypeOperatorFunction,
  NEVER,
  type Observable,
  type SchedulerLike,
  Subject,
  switchMap,
  take,
  takeUntil,
  tap,
  timer,
} from "rxjs";
import { isTerminal } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { stateful, type Machine } from "../stream/stateful.js";
import { compact } from "./compact.js";

/** When {@link batchEvents} lets a batch go: at what comes first. */
export interface BatchEventsOptions {
  /**
   * At the next animation frame, or after 16 ms where there are none. True by default when neither `ms`
   * nor `count` is given. A hidden page has no frames: give `ms` too if what comes must not wait for it.
   */
  readonly frame?: boolean;
  /** This many milliseconds after the batch's first event. */
  readonly ms?: number;
  /** With this many events, before deltas are joined. */
  readonly count?: number;
  /** Measures the milliseconds; `asyncScheduler` by default. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Lets events through in batches, the adjacent deltas of each joined, so that what is drawn from them is
 * drawn once a frame at most.
 *
 * ```text
 * source:                  --S-a-b-------c-d-F|       a to d: deltas of one message
 * batchEvents({ ms: 5 })
 * result:                  -------(Sab)------(cdF)|   ab and cd are one event each
 * ```
 *
 * A batch begins with an event and ends with the frame, the time or the count that was asked for. RUN_FINISHED
 * and RUN_ERROR end it at once, as do the source's completion and its error, which pass after what was held.
 * The events of a batch go out together, synchronously and in order; nothing is lost but where deltas were
 * cut, as `compact` says. Unsubscribing drops what is held and its timer.
 *
 * @param options - see {@link BatchEventsOptions}; each animation frame by default
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { batchEvents, events } from "@agrx/core";
 *
 * from([
 *   events.textMessageContent({ messageId: "m", delta: "Hel" }),
 *   events.textMessageContent({ messageId: "m", delta: "lo" }),
 *   events.runFinished({ threadId: "t", runId: "r" }),
 * ])
 *   .pipe(batchEvents({ frame: true }))
 *   .subscribe((event) => console.log("delta" in event ? event.delta : event.type)); // Hello, RUN_FINISHED
 * ```
 */
export function batchEvents(options: BatchEventsOptions = {}): MonoTypeOperatorFunction<AGUIEvent> {
  return (source) =>
    defer(() => {
      const batchRuns = new Subject<boolean>();
      const isOver = batchRuns.pipe(ignoreElements(), endWith(true));
      const ticks = batchRuns.pipe(
        switchMap((runs) => (runs ? clock(options) : NEVER)),
        map(() => undefined),
        takeUntil(isOver),
      );
      return merge(ticks, source.pipe(tap({ complete: () => batchRuns.complete() }))).pipe(
        stateful(() => createBatches(options.count, (runs) => batchRuns.next(runs))),
        concatMap((batch) => from(batch).pipe(compact())),
      );
    });
}

/** Gathers events into batches; undefined is the tick that ends one. */
function createBatches(
  count: number | undefined,
  setRunning: (runs: boolean) => void,
): Machine<AGUIEvent | undefined, readonly AGUIEvent[]> {
  let batch: AGUIEvent[] = [];

  function flush(emit: (batch: readonly AGUIEvent[]) => void): void {
    setRunning(false);
    const ended = batch;
    batch = [];
    if (ended.length > 0) emit(ended);
  }

  return {
    push(event, emit) {
      if (event !== undefined) batch.push(event);
      if (event === undefined || isTerminal(event) || batch.length === count) flush(emit);
      else if (batch.length === 1) setRunning(true);
    },
    end: flush,
    fail: (_error, emit) => flush(emit),
  };
}

/** Emits when a batch that begins now has lasted long enough. */
function clock({
  ms,
  count,
  frame = ms === undefined && count === undefined,
  scheduler = asyncScheduler,
}: BatchEventsOptions): Observable<unknown> {
  const hasFrames = typeof requestAnimationFrame === "function";
  return merge(
    ms === undefined ? NEVER : timer(ms, scheduler),
    !frame ? NEVER : hasFrames ? animationFrames() : timer(16, scheduler),
  ).pipe(take(1));
}
