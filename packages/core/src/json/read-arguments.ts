import { createJsonAccumulator } from "./json-accumulator.js";

/** What a whole text of arguments turned out to be; see {@link readArguments}. */
export type ArgumentsReading =
  | { readonly status: "complete"; readonly value: unknown }
  | { readonly status: "incomplete" | "invalid"; readonly message: string };

/**
 * Reads the whole text of a tool call's arguments: strict JSON, but that raw control characters inside
 * strings are read as themselves, as models send them.
 *
 * An unfinished prefix of a JSON text, `""` too, is "incomplete", a text that can never become JSON is
 * "invalid"; the message says where and what was missing or expected, never what the text holds.
 *
 * @example
 * ```ts
 * import { readArguments } from "@agrx/core";
 *
 * console.log(readArguments('{"city":"Seoul"}').status); // complete
 * console.log(readArguments('{"city":"Seo').status); // incomplete
 * console.log(readArguments('{"a":1}{"a":2}').status); // invalid
 * ```
 */
export function readArguments(text: string): ArgumentsReading {
  try {
    return { status: "complete", value: JSON.parse(text) as unknown };
  } catch {
    const json = createJsonAccumulator();
    json.push(text);
    const error = json.end();
    if (error === undefined) return { status: "complete", value: json.value };
    return { status: error.code, message: error.message };
  }
}
