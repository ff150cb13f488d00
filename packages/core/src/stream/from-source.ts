import { from, type Observable, type ObservableInput } from "rxjs";
import { isAsyncIterable } from "./event-source.js";
import { fromAsyncIterable } from "./from-async-iterable.js";

/** The values of a source, as rxjs' `from`; unsubscribing ends an async iterable at once. */
export function fromSource<T>(source: ObservableInput<T>): Observable<T> {
  return isAsyncIterable(source) ? fromAsyncIterable<T>(source) : from(source);
}
