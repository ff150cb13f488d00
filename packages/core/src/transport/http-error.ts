import { CodedError } from "../protocol/coded-error.js";

/**
 * Why no event stream came over HTTP, or why it broke.
 *
 * - `network`: no answer came, or the connection broke while the answer was read.
 * - `http-status`: the server refused, with `status`, `body` and perhaps `retryAfter`.
 * - `content-type`: the answer is no event stream.
 * - `aborted`: the caller's signal aborted.
 */
export type HttpErrorCode = "network" | "http-status" | "content-type" | "aborted";

/** What is known of a failed request. */
export interface HttpFailure {
  /** Of the response, where one came. */
  readonly status?: number;
  /** Milliseconds that the server asks to wait, by its Retry-After header. */
  readonly retryAfter?: number;
  /** The first 16,384 characters of what a refusing server said. Not part of the message. */
  readonly body?: string;
  readonly cause?: unknown;
}

/**
 * A request brought no event stream, or its stream broke.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class HttpError extends CodedError<HttpErrorCode, HttpFailure> {
  override readonly name = "HttpError";
  declare readonly status?: number;
  declare readonly retryAfter?: number;
  declare readonly body?: string;
}

/** Whether a value is an {@link HttpError}, of this copy of the package or of another. */
export function isHttpError(value: unknown): value is HttpError {
  return value instanceof Error && value.name === "HttpError" && "code" in value;
}
