import type { ContentPart } from "../protocol/vocabulary.js";

/**
 * How far a tool call has come.
 *
 * - `streaming`: its arguments are still on their way.
 * - `complete`: ended, and its arguments are whole.
 * - `incomplete`: cut, or an unfinished JSON prefix, whatever the finish reason says. Never run it.
 * - `invalid`: ended and whole, but no JSON. Answer it with the error.
 */
export type ToolCallStatus = "streaming" | "complete" | "incomplete" | "invalid";

/** A tool call as every part of agrx shows it. */
export interface ToolCall<Args = unknown> {
  readonly id: string;
  readonly name: string;
  /** The arguments' text exactly as it was sent. */
  readonly arguments: string;
  /** The arguments' value; the value so far while the call streams; the text itself for a custom tool. */
  readonly args: Args;
  readonly status: ToolCallStatus;
  /** What the call was answered with. */
  readonly result?: string | readonly ContentPart[];
  /** The assistant message that holds the call. */
  readonly parentMessageId?: string;
  /** Position among the calls of one answer, from 0, where the provider gives one. */
  readonly index?: number;
  /** True when the provider ran the tool itself: neither the agent nor the client answers it. */
  readonly providerExecuted?: boolean;
}
