import { CodedError } from "../protocol/coded-error.js";

/**
 * What was wrong with an event stream's frames.
 *
 * - `truncated`: the stream ended inside a frame.
 * - `invalid-json`: a frame's data is no JSON.
 * - `frame-too-large`: a frame, or a line, is longer than `maxFrameLength`.
 */
export type SseErrorCode = "truncated" | "invalid-json" | "frame-too-large";

/**
 * A stream of server-sent events cannot be read any further. Its message holds nothing of the payload.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class SseError extends CodedError<SseErrorCode, { readonly frame: number }> {
  override readonly name = "SseError";
  /** Position of the frame in the stream, from 0; frames without data do not count. */
  declare readonly frame: number;
}
