import { CodedError } from "../protocol/coded-error.js";

/** What was wrong; {@link RunUsageError} carries it as `code`. */
export type RunUsageErrorCode =
  /** The project gave something that is neither events nor an outcome. */
  | "invalid-project"
  /** Something was sent that is no event of the protocol. */
  | "unknown-event"
  /** A source of text gave something else than strings. */
  | "invalid-fragment"
  /** The call, message, reasoning or step `id` was used after its end. */
  | "bracket-closed"
  /** Tool call `toolCallId` was given a second result. */
  | "already-answered"
  /** The arguments of `toolCallId` are an unfinished JSON text. */
  | "incomplete-arguments"
  /** The arguments of `toolCallId` are no JSON, or its schema refuses their value. */
  | "invalid-arguments"
  /** A schema for arguments validates asynchronously where an answer is needed at once. */
  | "async-schema"
  /** The run was told an outcome that the protocol has no place for. */
  | "invalid-outcome"
  /** The guard completed before the run's terminal event had passed it. */
  | "guard-completed";

/**
 * A run was told or given something that does not fit it; thrown by a handle, or the RUN_ERROR of the run.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class RunUsageError extends CodedError<RunUsageErrorCode, RunUsage> {
  override readonly name = "RunUsageError";
  declare readonly toolCallId?: string;
  /** Of a bracket: its id, or the step's name. */
  declare readonly id?: string;
}

interface RunUsage {
  readonly toolCallId?: string;
  readonly id?: string;
}
