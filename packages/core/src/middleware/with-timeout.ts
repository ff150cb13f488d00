import {
  asyncScheduler,
  connect,
  defer,
  endWith,
  ignoreElements,
  map,
  merge,
  NEVER,
  startWith,
  switchMap,
  takeUntil,
  takeWhile,
  timer,
  type MonoTypeOperatorFunction,
  type Observable,
  type SchedulerLike,
} from "rxjs";
import { events } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";

/** The two clocks of {@link withTimeout}. */
export interface TimeoutOptions {
  /** Milliseconds from subscription, and between two events. Default none. */
  readonly idle?: number;
  /** Milliseconds from subscription to the end. Default none. */
  readonly total?: number;
  /** What keeps the time. Default rxjs' `asyncScheduler`. */
  readonly scheduler?: SchedulerLike;
}

/**
 * Ends a run that takes too long with RUN_ERROR, whose code is `idle-timeout` or `total-timeout`.
 *
 * ```text
 * source:                   --S--t-------------F|
 * withTimeout({ idle: 5 })
 * result:                   --S--t----(E|)            E: RUN_ERROR idle-timeout; the source is left
 * ```
 *
 * RUN_ERROR abandons what is open, so the stream stays legal. Passes events on synchronously, completes and
 * errors with the source; its timers run only while subscribed.
 *
 * @param options - `idle` and `total` in milliseconds, default none
 *
 * @example
 * ```ts
 * import { NEVER } from "rxjs";
 * import { withTimeout } from "@agrx/core/middleware";
 *
 * NEVER.pipe(withTimeout({ idle: 10 })).subscribe((event) => console.log(event.type)); // RUN_ERROR
 * ```
 */
export function withTimeout({
  idle,
  total,
  scheduler = asyncScheduler,
}: TimeoutOptions): MonoTypeOperatorFunction<AGUIEvent> {
  return (source) =>
    defer(() => {
      const idled = expired("idle-timeout", `No event came for ${idle} ms.`);
      const over = expired("total-timeout", `The run took longer than ${total} ms.`);
      const clock = (due: number | undefined, expiry: AGUIEvent) =>
        due === undefined ? NEVER : timer(due, scheduler).pipe(map(() => expiry));
      return source.pipe(
        connect((event$) => {
          const ended$ = event$.pipe(ignoreElements(), endWith(undefined));
          const idle$: Observable<AGUIEvent> = event$.pipe(
            startWith(undefined),
            switchMap(() => clock(idle, idled)),
          );
          return merge(merge(idle$, clock(total, over)).pipe(takeUntil(ended$)), event$);
        }),
        takeWhile((event) => event !== idled && event !== over, true),
      );
    });
}

function expired(code: string, message: string): AGUIEvent {
  return events.runError({ code, message });
}
