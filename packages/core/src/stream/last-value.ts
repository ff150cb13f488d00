import { concatMap, defaultIfEmpty, from, of, takeLast, type Observable } from "rxjs";
import { isAsyncIterable, isObservableLike, isPromiseLike } from "./event-source.js";
import { fromAsyncIterable } from "./from-async-iterable.js";

/**
 * What a function gave that may give a value, a promise or a stream of values, of which the last counts;
 * undefined when the stream is empty. A list and a text are values.
 */
export function lastValue(given: unknown): Observable<unknown> {
  if (isPromiseLike(given)) return from(given).pipe(concatMap(lastValue));
  if (isAsyncIterable(given)) return last(fromAsyncIterable<unknown>(given));
  return isObservableLike(given) ? last(from(given)) : of(given);
}

const last = (values: Observable<unknown>): Observable<unknown> =>
  values.pipe(takeLast(1), defaultIfEmpty(undefined));
