import { isJsonEqual } from "../state/is-json-equal.js";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * A JSON value that is told anew, with the references of what it repeats: the previous value itself where
 * both are equal; of an object, the members that are.
 */
export function keepEqual<T>(previous: unknown, next: T): T {
  if (isJsonEqual(previous, next)) return previous as T;
  if (!isObject(previous) || !isObject(next)) return next;
  const kept = { ...next };
  for (const key of Object.keys(next)) {
    if (Object.hasOwn(previous, key) && isJsonEqual(previous[key], next[key]))
      Object.assign(kept, { [key]: previous[key] });
  }
  return kept;
}

/** Whether two lists hold the very same items. */
export const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((item, place) => item === other[place]);
