import { concatMap, defaultIfEmpty, from, of, takeLast, type Observable } from "rxjs";
import { isAsyncIterable, isObservableLike, isPromiseLike } from "./event-source.js";
import { fromSource } from "./from-source.js";

/**
 * What a function gave that may give a value, a promise or a stream of values, of which the last counts;
 * undefined when the stream is empty. A list and a text are values.
 */
export function lastValue(given: unknown): Observable<unknown> {
  if (isPromiseLike(given)) return from(given).pipe(concatMap(lastValue));
  if (!isAsyncIterable(given) && !isObservableLike(given)) return of(given);
  return fromSource<unknown>(given).pipe(takeLast(1), defaultIfEmpty(undefined));
}
