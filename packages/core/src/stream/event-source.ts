import { isObservable, observable, type Observable } from "rxjs";

type Keyed = Readonly<Record<PropertyKey, unknown>>;

function has(value: unknown, ...methods: PropertyKey[]): boolean {
  if (typeof value !== "object" && typeof value !== "function") return false;
  return value !== null && methods.some((method) => typeof (value as Keyed)[method] === "function");
}

/** Whether a value is a promise, of any make. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return has(value, "then");
}

/** Whether a value is an Observable, of any copy of rxjs. */
export function isObservableLike(value: unknown): value is Observable<unknown> {
  return isObservable(value) || has(value, observable);
}

/** Whether a value has to be iterated asynchronously; unsubscribing then has to end it at once. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<never> {
  return !isObservableLike(value) && has(value, Symbol.asyncIterator);
}

/** Whether rxjs can subscribe to a value that is no string and no promise: an Observable, a list, a stream. */
export function isEventSource(value: unknown): boolean {
  return isObservableLike(value) || has(value, Symbol.asyncIterator, Symbol.iterator, "getReader");
}
