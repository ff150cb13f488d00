import { Observable } from "rxjs";

/**
 * Emits the values of an async iterable; as rxjs' `from`, but unsubscribing ends the iterable at once,
 * also while it waits for its next value.
 *
 * Cold: each subscription asks the iterable for an iterator of its own. Completes when the iterator is
 * done, errors with what it throws. Unsubscribing, or `signal` aborting, calls the iterator's `return`
 * without waiting for a pending `next`; an abort of `signal` also completes the Observable.
 *
 * @param iterable - any async iterable, such as the stream of a provider's SDK
 * @param signal - ends the iteration when it aborts
 *
 * @example
 * ```ts
 * import { fromAsyncIterable } from "@agrx/core";
 *
 * async function* words() {
 *   yield "Hello";
 *   yield "world";
 * }
 * fromAsyncIterable(words()).subscribe((word) => console.log(word)); // Hello, world
 * ```
 */
export function fromAsyncIterable<T>(iterable: AsyncIterable<T>, signal?: AbortSignal): Observable<T> {
  return new Observable<T>((subscriber) => {
    if (signal?.aborted) {
      subscriber.complete();
      return;
    }
    const iterator = iterable[Symbol.asyncIterator]();
    let done = false;
    const leave = () => {
      if (done) return;
      done = true;
      // A generator that waits queues this `return` behind its pending `next`; a stream ends at once.
      void Promise.resolve(iterator.return?.()).catch(() => undefined);
    };
    const abort = () => {
      leave();
      subscriber.complete();
    };
    signal?.addEventListener("abort", abort, { once: true });
    subscriber.add(() => {
      signal?.removeEventListener("abort", abort);
      leave();
    });

    const pull = async () => {
      while (!subscriber.closed) {
        const result = await iterator.next();
        if (subscriber.closed) return;
        if (result.done) {
          done = true;
          subscriber.complete();
          return;
        }
        subscriber.next(result.value);
      }
    };
    pull().catch((error: unknown) => {
      done = true;
      subscriber.error(error);
    });
  });
}
