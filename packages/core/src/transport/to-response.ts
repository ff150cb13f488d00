import { Subject, takeUntil, type Observable, type ObservableInput } from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { runFrames, type RunFramesOptions } from "./run-frames.js";
import { SlowReaderError } from "./slow-reader-error.js";

/** How {@link toResponse} answers; what `new Response` takes beside the body is passed on to it. */
export interface ToResponseOptions extends RunFramesOptions, ResponseInit {
  /** Milliseconds of silence after which a comment keeps the connection alive. Default 15,000; 0 for none. */
  readonly heartbeat?: number;
  /**
   * Bytes that may wait for a slow reader; one more closes the connection with a {@link SlowReaderError} and
   * unsubscribes from the run. A single frame may be longer. Default 16 MiB (16,777,216).
   */
  readonly maxBufferedBytes?: number;
}

/**
 * Answers a request with a run: a web `Response` whose body is the run's server-sent event stream.
 *
 * ```text
 * events$:    --S--t--t--F|
 * body:       --s--t--t--f|      a frame for each event, then the end
 * cancelled:  --s--t!            the run is unsubscribed from at once
 * ```
 *
 * Subscribes once, when the body is first read. Completes the body with the source. An error of the source
 * becomes a RUN_ERROR frame, and the body ends: the status has long been sent. When the reader cancels,
 * because the client left, the source is unsubscribed from before `cancel` returns.
 *
 * The headers are those of an event stream that no proxy holds back: `content-type: text/event-stream`,
 * `cache-control: no-cache, no-transform`, `x-accel-buffering: no`; those given win.
 *
 * @experimental
 * @param events$ - the run's events, such as `run(...)` gives them
 * @param options - `heartbeat` in milliseconds, default 15,000; `maxBufferedBytes`, default 16 MiB;
 * `describeError` for the words of RUN_ERROR; `status`, `headers` and the rest of `ResponseInit`
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { events, toResponse } from "@agrx/core";
 *
 * const response = toResponse(of(events.stepStarted({ stepName: "plan" })));
 * console.log(response.headers.get("content-type")); // text/event-stream
 * void response.text().then((body) => console.log(body.trimEnd())); // data: {"type":"STEP_STARTED","stepName":"plan"}
 * ```
 */
export function toResponse(
  events$: ObservableInput<AGUIEvent>,
  {
    heartbeat = 15_000,
    maxBufferedBytes = 16 * 1024 * 1024,
    describeError,
    headers,
    ...init
  }: ToResponseOptions = {},
): Response {
  const frames$ = runFrames(events$, { heartbeat, ...(describeError && { describeError }) });
  return new Response(toBody(frames$, maxBufferedBytes), { ...init, headers: streamHeaders(headers) });
}

function streamHeaders(own: HeadersInit | undefined): Headers {
  const headers = new Headers(own);
  const defaults = {
    "content-type": "text/event-stream",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  };
  for (const [name, value] of Object.entries(defaults)) if (!headers.has(name)) headers.set(name, value);
  return headers;
}

function toBody(frames$: Observable<string>, maxBufferedBytes: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const closed = new Subject<void>();
  let state: "unread" | "open" | "closed" = "unread";
  const close = () => {
    state = "closed";
    closed.next();
  };
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (state !== "unread") return;
        state = "open";
        frames$.pipe(takeUntil(closed)).subscribe({
          next(frame) {
            const bytes = encoder.encode(frame);
            const waiting = bytes.byteLength - (controller.desiredSize ?? 0);
            if (waiting > bytes.byteLength && waiting > maxBufferedBytes) {
              controller.error(new SlowReaderError(waiting, maxBufferedBytes));
              close();
            } else {
              controller.enqueue(bytes);
            }
          },
          error: (error: unknown) => controller.error(error),
          complete() {
            if (state === "open") controller.close();
          },
        });
      },
      cancel: close,
    },
    // Without a high-water mark the first pull is the first read, and `-desiredSize` is what waits.
    { highWaterMark: 0, size: (bytes) => bytes?.byteLength ?? 0 },
  );
}
