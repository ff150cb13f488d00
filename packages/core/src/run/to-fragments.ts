import { EMPTY, from, map, mergeMap, of, type Observable } from "rxjs";
import { isEventSource, isPromiseLike } from "../stream/event-source.js";
import { fromSource } from "../stream/from-source.js";
import { jsonText } from "../tools/tool-result.js";
import { RunUsageError } from "./run-usage-error.js";

/**
 * The fragments of a text: a string is one, an Observable or iterable gives them, a promise gives what its
 * value gives, any other value is one fragment of JSON; undefined is none.
 */
export function toFragments(source: unknown): Observable<string> {
  if (source === undefined) return EMPTY;
  if (typeof source === "string") return of(source);
  if (isPromiseLike(source)) return from(source).pipe(mergeMap(toFragments));
  if (isEventSource(source)) return fromSource(source as Iterable<unknown>).pipe(map(fragment));
  return of(jsonText(source));
}

/**
 * A value as a fragment.
 *
 * @throws RunUsageError `invalid-fragment` when it is no string
 */
export function fragment(value: unknown): string {
  if (typeof value === "string") return value;
  throw new RunUsageError(
    "invalid-fragment",
    `A source of fragments gave a value of type ${typeof value}. Give strings, such as JSON.stringify of it.`,
  );
}
