import { CodedError } from "../protocol/coded-error.js";

/** Why a call was not answered by its tool; {@link ToolError} and the result's metadata carry it. */
export type ToolErrorCode =
  /** The arguments are no whole JSON text, or the tool's schema refuses them. */
  | "invalid-arguments"
  /** The tool threw, rejected or errored. */
  | "tool-failed"
  /** The tool took longer than it may. */
  | "tool-timeout"
  /** Whoever was asked declined the call. */
  | "tool-declined"
  /** Nobody here has a tool of that name. */
  | "unknown-tool";

/** The metadata key under which a result says that it tells of a failure; its value is a {@link ToolErrorCode}. */
export const TOOL_ERROR_METADATA = "agrx.toolError";

/**
 * A call that its tool did not answer. Its message is what the model is told.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class ToolError extends CodedError<ToolErrorCode, { readonly toolCallId: string }> {
  override readonly name = "ToolError";
  declare readonly toolCallId: string;
}

/** Whether an error is a {@link ToolError}, of this copy of the package or of another. */
export function isToolError(error: unknown): error is ToolError {
  return error instanceof Error && error.name === "ToolError" && "toolCallId" in error;
}

/** What an error says, cut: a message may quote its input, and a result is not the place for all of it. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : typeof error === "string" ? error : "";
  const reason = text || "it gave no reason";
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}...` : reason;
}

const LONGEST_REASON = 500;
