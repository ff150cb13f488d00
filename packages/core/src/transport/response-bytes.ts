import { catchError, last, map, mergeMap, Observable, scan, takeWhile, throwError } from "rxjs";
import { presentFields } from "../protocol/present-fields.js";
import { HttpError } from "./http-error.js";

/** The bytes of a response that is an event stream; an {@link HttpError} for any other. */
export function responseBytes(response: Response): Observable<Uint8Array> {
  const { ok, status, headers } = response;
  if (!ok) return refusal(response);
  const type = headers.get("content-type") ?? "none";
  if (/^text\/event-stream\s*(;|$)/i.test(type)) return bodyBytes(response);
  const message = `The answer is ${type.slice(0, 60)} and not text/event-stream. Is this the agent's URL?`;
  return discard(response, new HttpError("content-type", message, { status }));
}

const bodyLimit = 16_384;

function refusal(response: Response): Observable<never> {
  const { status, headers } = response;
  const retryAfter = toMilliseconds(headers.get("retry-after"));
  const decoder = new TextDecoder();
  return bodyBytes(response).pipe(
    map((bytes) => decoder.decode(bytes, { stream: true })),
    scan((text, part) => text + part, ""),
    takeWhile((text) => text.length < bodyLimit, true),
    last(null, ""),
    catchError(() => [""]), // the status says enough
    mergeMap((text) => {
      const failure = presentFields({ status, body: text.slice(0, bodyLimit), retryAfter });
      return throwError(
        () => new HttpError("http-status", `The server refused the run with status ${status}.`, failure),
      );
    }),
  );
}

function discard(response: Response, error: HttpError): Observable<never> {
  void response.body?.cancel().catch(() => undefined);
  return throwError(() => error);
}

/** The bytes of a body; unsubscribing cancels it at once, also while it waits. */
function bodyBytes({ body, status }: Response): Observable<Uint8Array> {
  return new Observable((subscriber) => {
    if (body === null) {
      subscriber.complete();
      return undefined;
    }
    const reader = body.getReader();
    const read = (): void => {
      reader.read().then(
        ({ done, value }) => {
          if (done) return subscriber.complete();
          subscriber.next(value);
          if (!subscriber.closed) read();
        },
        (cause: unknown) => {
          subscriber.error(new HttpError("network", "The connection broke.", { status, cause }));
        },
      );
    };
    read();
    return () => void reader.cancel().catch(() => undefined);
  });
}

/** The value of a Retry-After header, which is seconds or a date. */
function toMilliseconds(value: string | null): number | undefined {
  if (value === null) return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
