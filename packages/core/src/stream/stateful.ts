import { Observable, Subject, takeUntil, type OperatorFunction } from "rxjs";

/** A state machine from one stream to another: no timers, no I/O, nothing shared. */
export interface Machine<In, Out> {
  /** Takes one input and emits any number of outputs; what it throws becomes the stream's error. */
  push(input: In, emit: (output: Out) => void): void;
  /** The source completed: emits what is left; what it throws becomes the stream's error. */
  end(emit: (output: Out) => void): void;
  /** The source failed: may emit what is left before the error passes on. */
  fail?(error: unknown, emit: (output: Out) => void): void;
}

/**
 * Makes an operator of a machine, one machine a subscription.
 *
 * The only place where agrx subscribes by hand for one-to-many operators: an early unsubscribe stops
 * a synchronous source too, and what the machine throws travels as the stream's error.
 */
export function stateful<In, Out>(create: () => Machine<In, Out>): OperatorFunction<In, Out> {
  return (source) =>
    new Observable((subscriber) => {
      const machine = create();
      const emit = (output: Out) => subscriber.next(output);
      const closed = new Subject<void>();
      subscriber.add(() => closed.next());
      source.pipe(takeUntil(closed)).subscribe({
        next(input) {
          try {
            machine.push(input, emit);
          } catch (error) {
            subscriber.error(error);
          }
        },
        error(error) {
          if (subscriber.closed) return;
          try {
            machine.fail?.(error, emit);
          } catch (failure) {
            subscriber.error(failure);
            return;
          }
          subscriber.error(error);
        },
        complete() {
          // The source also completes when `closed` fires: then nobody waits for the rest.
          if (subscriber.closed) return;
          try {
            machine.end(emit);
          } catch (error) {
            subscriber.error(error);
            return;
          }
          subscriber.complete();
        },
      });
    });
}
