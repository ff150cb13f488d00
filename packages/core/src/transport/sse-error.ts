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
export class SseError extends Error {
  override readonly name = "SseError";
  readonly code: SseErrorCode;
  /** Position of the frame in the stream, from 0; frames without data do not count. */
  readonly frame: number;

  constructor(code: SseErrorCode, frame: number, message: string) {
    super(message);
    this.code = code;
    this.frame = frame;
  }
}
