import { defer, from, mergeMap, type Observable } from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { decodeSse, type DecodeSseOptions } from "./decode-sse.js";
import { responseBytes } from "./response-bytes.js";

/**
 * The events of a web `Response` whose body is a server-sent event stream: `fetch` in, events out.
 *
 * Reads the body once: subscribe once. Emits as the bytes come; completes with the body. Unsubscribing cancels
 * the body at once, which closes the connection; a `fetch` that has not answered yet is aborted by its own
 * signal only ({@link connect} does it all).
 *
 * Errors with {@link HttpError} when the status is not 2xx, when the content type is no event stream and when
 * the connection breaks, with what the given promise rejects with, and with the errors of {@link decodeSse}.
 *
 * @experimental
 * @param response - the response, or the promise that `fetch` gives
 * @param options - those of {@link decodeSse}
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { events, fromResponse, toResponse } from "@agrx/core";
 *
 * const response = toResponse(of(events.stepStarted({ stepName: "plan" }))); // or: fetch(url, ...)
 * fromResponse(response).subscribe((event) => console.log(event.type)); // STEP_STARTED
 * ```
 */
export function fromResponse(
  response: Response | PromiseLike<Response>,
  options?: DecodeSseOptions,
): Observable<AGUIEvent> {
  return defer(() => from(Promise.resolve(response))).pipe(mergeMap(responseBytes), decodeSse(options));
}
