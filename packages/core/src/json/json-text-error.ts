import { CodedError } from "../protocol/coded-error.js";

/** How a text fails to be JSON: it can go on to become JSON, or it never can; too deep is never. */
export type JsonTextErrorCode = "incomplete" | "invalid";

/**
 * A text is no whole JSON text.
 *
 * Know it by its `code`, not by `instanceof`.
 */
export class JsonTextError extends CodedError<JsonTextErrorCode, { readonly position: number }> {
  override readonly name = "JsonTextError";
  /** Where in the text, in UTF-16 units from 0; the text's length when it stops too early. */
  declare readonly position: number;

  constructor(code: JsonTextErrorCode, position: number, message: string) {
    super(code, message, { position });
  }
}
