/** Longer ids are cut in messages: an id is the sender's, and may be a megabyte. */
const LONGEST_SHOWN = 64;

/**
 * An id as messages show it: in double quotes, control characters escaped, cut after 64 characters.
 *
 * @experimental
 *
 * @example
 * ```ts
 * import { quoteId } from "@agrx/core";
 *
 * console.log(quoteId("call-1"), quoteId(undefined)); // "call-1" (none)
 * ```
 */
export function quoteId(id: unknown): string {
  if (typeof id !== "string") return `(${id === undefined || id === null ? "none" : typeof id})`;
  return JSON.stringify(id.length > LONGEST_SHOWN ? `${id.slice(0, LONGEST_SHOWN)}...` : id);
}
