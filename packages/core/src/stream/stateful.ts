import { Observable, Subscriber, type OperatorFunction } from "rxjs";

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
 *
 * ```text
 * source:    --a--b--|
 * push          1  23           what the machine emits for each input
 * end                4          and at the end
 * result:    --1--(23)(4|)
 * ```
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { stateful } from "@agrx/core";
 *
 * const pairs = stateful<string, string>(() => {
 *   let first: string | undefined;
 *   return {
 *     push(letter, emit) {
 *       if (first !== undefined) emit(first + letter);
 *       first = first === undefined ? letter : undefined;
 *     },
 *     end: (emit) => first !== undefined && emit(first),
 *   };
 * });
 * of("a", "b", "c").pipe(pairs).subscribe((pair) => console.log(pair)); // ab, c
 * ```
 */
export function stateful<In, Out>(create: () => Machine<In, Out>): OperatorFunction<In, Out> {
  return (source) =>
    new Observable((subscriber) => source.subscribe(new MachineSubscriber(subscriber, create())));
}

// A source stops for a Subscriber at once, and it is one layer where an observer behind `takeUntil` is three:
// that costs as much as a machine does (bench/operators.bench.ts).
// eslint-disable-next-line rxjs-x/no-subclass
class MachineSubscriber<In, Out> extends Subscriber<In> {
  private readonly target: Subscriber<Out>;
  private readonly machine: Machine<In, Out>;
  private readonly emit = (output: Out): void => this.target.next(output);
  private readonly waiting: (() => void)[] = [];
  private serving = false;

  constructor(target: Subscriber<Out>, machine: Machine<In, Out>) {
    super(target);
    this.target = target;
    this.machine = machine;
  }

  protected override _next(input: In): void {
    // `serve` by hand: a closure for each input costs a tenth of a decoder's time.
    if (this.serving) {
      this.waiting.push(() => this.machine.push(input, this.emit));
      return;
    }
    this.serving = true;
    try {
      this.machine.push(input, this.emit);
      if (this.waiting.length > 0) this.serveWaiting();
    } catch (error) {
      this.target.error(error);
    }
    this.serving = false;
  }

  protected override _error(error: unknown): void {
    this.serve(() => {
      this.machine.fail?.(error, this.emit);
      this.target.error(error);
    });
  }

  protected override _complete(): void {
    this.serve(() => {
      this.machine.end(this.emit);
      this.target.complete();
    });
  }

  private serve(work: () => void): void {
    this.waiting.push(work);
    if (this.serving) return;
    this.serving = true;
    try {
      this.serveWaiting();
    } catch (error) {
      this.target.error(error);
    }
    this.serving = false;
  }

  private serveWaiting(): void {
    for (let work = this.waiting.shift(); work && !this.target.closed; work = this.waiting.shift()) work();
  }
}
