import {
  catchError,
  defer,
  finalize,
  from,
  identity,
  mergeMap,
  retry,
  tap,
  throwError,
  type MonoTypeOperatorFunction,
  type Observable,
} from "rxjs";
import { presentFields } from "../protocol/present-fields.js";
import type { AGUIEvent, RunAgentInput } from "../protocol/vocabulary.js";
import { decodeSse, type DecodeSseOptions } from "../transport/decode-sse.js";
import { HttpError } from "../transport/http-error.js";
import { responseBytes } from "../transport/response-bytes.js";
import { outgoingInput, type OutgoingInputOptions } from "./outgoing-input.js";
import { retryDelay, type RetryOptions } from "./retry-policy.js";

/** A run for an input: what {@link connect} gives, and any agent in the same process is. */
export type Connection = (input: RunAgentInput) => Observable<AGUIEvent>;

/** Whom {@link connect} asks, and how. */
export interface ConnectOptions extends DecodeSseOptions, OutgoingInputOptions {
  /** The agent's endpoint. */
  readonly url: string | URL;
  /** Sends the request. Default the global `fetch`. */
  readonly fetch?: (url: string | URL, init: RequestInit) => Promise<Response>;
  /** Headers beside those of the protocol; a function is asked for each request, so that tokens stay fresh. */
  readonly headers?: HeadersInit | (() => HeadersInit | PromiseLike<HeadersInit>);
  /** The rest of what `fetch` takes, such as `credentials`. */
  readonly init?: Omit<RequestInit, "method" | "headers" | "body" | "signal">;
  /**
   * Sends a request again that failed before the first byte of its answer: no connection, or status 408, 425,
   * 429, 502, 503 or 504. The run keeps its id. A number is the count; 0 for none. Default
   * `{ count: 2, delay: 500, maxDelay: 30_000 }`.
   */
  readonly retry?: number | RetryOptions;
  /** Sees every event as it came, such as `verify()` of `@agrx/verify`. Default none. */
  readonly guard?: MonoTypeOperatorFunction<AGUIEvent>;
  /** Ends every run of this connection with an {@link HttpError} `aborted`; leaving a run needs no signal. */
  readonly signal?: AbortSignal;
}

/**
 * Connects to an agent over HTTP: gives a function from an input to its run.
 *
 * ```text
 * request:     POST json
 * response:         ---b--bb---b--|     b: some bytes
 * connect(...)(input)
 * result:      --------S--tt---F--|
 * left:        --------S--t!            the request is aborted at once
 * ```
 *
 * The run is cold: each subscription sends a request of its own. The input is POSTed as JSON, with
 * `Accept: text/event-stream`; activity messages and unknown members are left out, the latter with a warning to
 * `onWarning`, and the protocol version is declared. The events come as they were sent, checked as
 * {@link parseEvents} checks them: chunk events are still chunks, and nothing is verified without a `guard`.
 * The whole chain of a client is
 * `connect({ url })(input).pipe(expandChunks(), verify({ input }), scanRun(input))`.
 *
 * Completes when the answer ends; a run that was cut has no terminal event, which the verifier tells. Errors
 * with {@link InvalidInputError} before anything is sent, with {@link HttpError}, and with the errors of
 * {@link decodeSse} and of the guard. Unsubscribing aborts the request, and the wait for a retry, at once.
 *
 * @experimental
 * @param options - `url` is all that is needed
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { connect, events, toResponse } from "@agrx/core";
 *
 * const agent = connect({
 *   url: "https://agent.example/run",
 *   fetch: () => Promise.resolve(toResponse(of(events.stepStarted({ stepName: "plan" })))), // the network
 * });
 * agent({ threadId: "t", runId: "r", messages: [], tools: [], context: [] }).subscribe(
 *   (event) => console.log(event.type), // STEP_STARTED
 * );
 * ```
 */
export function connect(options: ConnectOptions): Connection {
  const { guard = identity, retry: retryOption = {}, declareVersion, onWarning, maxFrameLength } = options;
  const retries = typeof retryOption === "number" ? { count: retryOption } : retryOption;

  return (input) =>
    defer(() => {
      const body = JSON.stringify(outgoingInput(input, presentFields({ onWarning, declareVersion })));
      let received = false;
      return request(body, options).pipe(
        tap(() => (received = true)),
        retry({
          count: retries.count ?? 2,
          delay: (error: unknown, count) =>
            received ? throwError(() => error) : retryDelay(error, count, retries),
        }),
        decodeSse(presentFields({ onWarning, maxFrameLength })),
        guard,
      );
    });
}

/** The bytes of one request's answer; unsubscribing aborts it. */
function request(
  body: string,
  { url, headers, init, signal, fetch = defaultFetch }: ConnectOptions,
): Observable<Uint8Array> {
  return defer(() => {
    const controller = new AbortController();
    const abort = () => controller.abort();
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    const send = async () => {
      const own = new Headers(typeof headers === "function" ? await headers() : headers);
      own.set("content-type", "application/json");
      own.set("accept", "text/event-stream");
      try {
        return await fetch(url, { ...init, method: "POST", headers: own, body, signal: controller.signal });
      } catch (cause) {
        throw new HttpError("network", "The agent cannot be reached.", { cause });
      }
    };
    return from(send()).pipe(
      mergeMap(responseBytes),
      catchError((error: unknown) =>
        throwError(() => (signal?.aborted ? new HttpError("aborted", "The run was aborted.") : error)),
      ),
      finalize(() => {
        signal?.removeEventListener("abort", abort);
        controller.abort();
      }),
    );
  });
}

/** The browser's fetch must be called as a method of its window. */
const defaultFetch: NonNullable<ConnectOptions["fetch"]> = (url, init) => globalThis.fetch(url, init);
