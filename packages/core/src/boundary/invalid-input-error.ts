import { CodedError } from "../protocol/coded-error.js";

/**
 * A run input is malformed: the run must not start. What an HTTP server answers with status 400. Its message
 * names paths and kinds of values, never values, so that it can be sent to whoever asked.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class InvalidInputError extends CodedError<"invalid-input", { readonly path: string }> {
  override readonly name = "InvalidInputError";
  /** Where in the input, as a dotted path such as `messages.0.content`; empty for the input itself. */
  declare readonly path: string;

  constructor(message: string, path: string) {
    super("invalid-input", message, { path });
  }
}
