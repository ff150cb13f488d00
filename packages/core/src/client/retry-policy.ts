import { throwError, timer, type Observable } from "rxjs";
import { isHttpError } from "../transport/http-error.js";

/** When a request is sent again. */
export interface RetryOptions {
  /** How many times, after the first. Default 2. */
  readonly count?: number;
  /**
   * Milliseconds before the first retry, doubled for each further one; or a function of the retry's number, from
   * 1. Default 500. A server's Retry-After comes before either.
   */
  readonly delay?: number | ((retry: number) => number);
  /** The longest wait in milliseconds; when a server asks for a longer one, its refusal stands. Default 30,000. */
  readonly maxDelay?: number;
}

/** Statuses by which a server says that it did not begin, and that later it may. */
const passing = [408, 425, 429, 502, 503, 504];

/** The wait before the given retry; an Observable of the error when there is to be none. */
export function retryDelay(
  error: unknown,
  retry: number,
  { delay = 500, maxDelay = 30_000 }: RetryOptions,
): Observable<unknown> {
  const mayPass =
    isHttpError(error) &&
    (error.code === "network" || (error.code === "http-status" && passing.includes(error.status ?? 0)));
  const asked = mayPass ? error.retryAfter : undefined;
  if (!mayPass || (asked !== undefined && asked > maxDelay)) return throwError(() => error);
  const own = typeof delay === "function" ? delay(retry) : delay * 2 ** (retry - 1);
  return timer(asked ?? Math.min(own, maxDelay));
}
