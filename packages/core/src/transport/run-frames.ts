import { catchError, defer, EMPTY, from, of, tap, type Observable, type ObservableInput } from "rxjs";
import { events } from "../protocol/events.js";
import { EventType, type AGUIEvent } from "../protocol/vocabulary.js";
import { describeError } from "../run/describe-error.js";
import type { ErrorDescription } from "../run/run-options.js";
import { encodeSse, type EncodeSseOptions } from "./encode-sse.js";

/** How {@link runFrames} writes. */
export interface RunFramesOptions extends EncodeSseOptions {
  /** The words of the RUN_ERROR that an error becomes; by default the error's own message and code. */
  readonly describeError?: (error: unknown) => ErrorDescription;
}

/**
 * The frames of a response that has begun: an error can no longer change its status, so it is told in the
 * stream as RUN_ERROR, unless the stream has just told one. Never errors.
 */
export function runFrames(
  events$: ObservableInput<AGUIEvent>,
  { describeError: describe, ...options }: RunFramesOptions = {},
): Observable<string> {
  return defer(() => {
    let failed = false;
    return from(events$).pipe(
      tap(({ type }) => (failed = type === EventType.RUN_ERROR)),
      encodeSse(options),
      catchError((error: unknown) =>
        failed ? EMPTY : of(events.runError(describeError(error, describe))).pipe(encodeSse()),
      ),
    );
  });
}
