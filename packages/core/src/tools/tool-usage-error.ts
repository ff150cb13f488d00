import { CodedError } from "../protocol/coded-error.js";

/** How tools were put to a use they are not for; {@link ToolUsageError} carries it as `code`. */
export type ToolUsageErrorCode =
  /** Two tools have one name. */
  | "duplicate-tool"
  /** The tool's schema cannot say itself as JSON Schema, and no `jsonSchema` was given. */
  | "no-json-schema"
  /** A tool needs approval where nobody can be asked. */
  | "no-context"
  /** A tool emitted an event that is the run's word, or the result that its return value gives. */
  | "not-a-tools-event"
  /** A client was to run tools before RUN_FINISHED said that the calls are its. */
  | "run-not-finished";

/**
 * A mistake in how tools are set up, not in what a model called them with.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class ToolUsageError extends CodedError<ToolUsageErrorCode> {
  override readonly name = "ToolUsageError";
}
