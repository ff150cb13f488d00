import { defer, Subject, takeUntil, type MonoTypeOperatorFunction, type Subscriber } from "rxjs";
import { isTerminal } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { rowOf } from "./bracket-kinds.js";
import type { BracketTable } from "./bracket-table.js";
import { createEventQueue } from "./event-queue.js";
import { RunUsageError } from "./run-usage-error.js";

/** The way of a run's events to its subscriber: in order, through the guard, up to the terminal event. */
export interface RunOutput {
  /** Whether the subscriber has the terminal event. */
  readonly done: boolean;
  /** Enters the guard; what it refuses at once is told at once. */
  start(): void;
  send(event: AGUIEvent): void;
  /** Leaves the guard out from now on and forgets what has not passed it. */
  bypass(): void;
  /** Leaves the guard; nothing comes out any more. */
  leave(): void;
}

/** What a run's output works on. */
export interface RunOutputOptions {
  readonly subscriber: Subscriber<AGUIEvent>;
  readonly guard: MonoTypeOperatorFunction<AGUIEvent>;
  /** Follows what the subscriber has got. */
  readonly delivered: BracketTable;
  /** The guard refused an event, or completed too early. */
  readonly onRefused: (error: unknown) => void;
}

/** An output without a guard. */
export function createPlainOutput(subscriber: Subscriber<AGUIEvent>): RunOutput {
  let done = false;
  const queue = createEventQueue((event) => {
    if (done) return;
    done = isTerminal(event);
    subscriber.next(event);
    if (done) subscriber.complete();
  });
  return {
    get done() {
      return done;
    },
    start: () => undefined,
    send: queue.push,
    bypass: () => undefined,
    leave: queue.clear,
  };
}

/** An output whose events pass the guard first. */
export function createGuardedOutput(options: RunOutputOptions): RunOutput {
  const { subscriber, guard, delivered, onRefused } = options;
  const exit = createPlainOutput(subscriber);
  const entry = new Subject<AGUIEvent>();
  const left = new Subject<void>();
  let guarded = true;

  function deliver(event: AGUIEvent): void {
    const row = rowOf(event);
    if (row) delivered.observe(event, row);
    exit.send(event);
  }

  const queue = createEventQueue((event) => {
    if (!guarded) return exit.send(event);
    entry.next(event);
    if (isTerminal(event)) entry.complete();
  });

  function refuse(error: unknown): void {
    if (guarded && !exit.done) onRefused(error);
  }

  function bypass(): void {
    guarded = false;
    left.next();
    queue.clear();
  }

  return {
    get done() {
      return exit.done;
    },
    start() {
      // The one place where a run subscribes to its guard: what is sent by hand has to pass it too.
      defer(() => guard(entry))
        .pipe(takeUntil(left))
        .subscribe({ next: deliver, error: refuse, complete: () => refuse(completedEarly()) });
    },
    send: queue.push,
    bypass,
    leave() {
      bypass();
      exit.leave();
    },
  };
}

const completedEarly = () =>
  new RunUsageError("guard-completed", "The guard completed before the run; it has to pass every event on.");
