/**
 * The ways in which a network may cut a text or its bytes: in two at every place, then into single pieces.
 *
 * A decoder that gives the same for each of them does not care where its input is cut. Of `n` bytes there are
 * `n + 1` ways (the first cut leaves nothing before it); the pieces of bytes are views, not copies. A string
 * is cut between UTF-16 units.
 *
 * @example
 * ```ts
 * import { cutEverywhere } from "@agrx/core/testing";
 *
 * const ways = [...cutEverywhere("abc")].map((pieces) => pieces.join("/"));
 * console.log(ways.join(" ")); // /abc a/bc ab/c a/b/c
 * ```
 */
export function* cutEverywhere<T extends Uint8Array | string>(whole: T): Generator<T[]> {
  const piece = (from: number, to?: number): T =>
    (typeof whole === "string" ? whole.slice(from, to) : whole.subarray(from, to)) as T;
  for (let at = 0; at < whole.length; at++) yield [piece(0, at), piece(at)];
  yield Array.from({ length: whole.length }, (_, at) => piece(at, at + 1));
}
