import type { AGUIEvent } from "../protocol/vocabulary.js";
import { runMarbles } from "./run-marbles.js";

/**
 * The values of a marble diagram: gives each letter the event that its word, as of {@link runMarbles}, means.
 *
 * For tests of time and teardown with rxjs' TestScheduler, as `cold("--a--1--A--|", marbleValues({ ... }))`.
 * Throws a `SyntaxError` for a word that cannot be read, and for none or several under one letter.
 *
 * @example
 * ```ts
 * import { marbleValues } from "@agrx/core/testing";
 *
 * const { a, A } = marbleValues({ a: "call+c/roll_dice", A: "call-c" });
 * console.log(a.type, A.type); // TOOL_CALL_START TOOL_CALL_END
 * ```
 */
export function marbleValues<Letter extends string>(
  words: Readonly<Record<Letter, string>>,
): Record<Letter, AGUIEvent> {
  const values = Object.entries<string>(words).map(([letter, word]) => {
    const [event, ...others] = runMarbles(word);
    if (event === undefined || others.length > 0) {
      throw new SyntaxError(
        `The letter ${JSON.stringify(letter)} stands for ${others.length + (event ? 1 : 0)} events, not for one.`,
      );
    }
    return [letter, event];
  });
  return Object.fromEntries(values) as Record<Letter, AGUIEvent>;
}
