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
 * a synchronous source too, what the machine throws travels as the stream's error, and what a subscriber
 * makes the source send while it is being served waits until all outputs of the input before are out.
 */
export function stateful<In, Out>(create: () => Machine<In, Out>): OperatorFunction<In, Out> {
  return (source) =>
    new Observable((subscriber) => {
      const machine = create();
      const emit = (output: Out) => subscriber.next(output);
      const waiting: (() => void)[] = [];
      let serving = false;
      const serve = (work: () => void) => {
        if (serving) {
          waiting.push(work);
          return;
        }
        serving = true;
        try {
          work();
          for (let next = waiting.shift(); next && !subscriber.closed; next = waiting.shift()) next();
        } catch (error) {
          subscriber.error(error);
        }
        serving = false;
      };
      const closed = new Subject<void>();
      subscriber.add(() => closed.next());
      source.pipe(takeUntil(closed)).subscribe({
        next: (input) => serve(() => machine.push(input, emit)),
        error: (error: unknown) =>
          serve(() => {
            machine.fail?.(error, emit);
            subscriber.error(error);
          }),
        complete() {
          // The source also completes when `closed` fires: then nobody waits for the rest.
          if (subscriber.closed) return;
          serve(() => {
            machine.end(emit);
            subscriber.complete();
          });
        },
      });
    });
}
