import { defer, retry, tap, throwError, timer, type MonoTypeOperatorFunction } from "rxjs";
import { isProviderError } from "../provider-error.js";

/** How a model is asked again when it fails before its first delta. */
export interface RetryOptions {
  /** How many more times. Default 2. */
  readonly count?: number;
  /** The first wait in milliseconds; it doubles each time. Default 500. */
  readonly delay?: number;
  /** The longest wait in milliseconds, `Retry-After` included: a longer one is an error at once. Default 30,000. */
  readonly maxDelay?: number;
}

/**
 * Subscribes again when the source fails with a retryable `ProviderError` before its first value.
 *
 * After a value there is no other try: what was seen cannot be unsaid. The wait is `Retry-After` where the
 * provider gave one, else it doubles, with up to a quarter of jitter.
 */
export function retryBeforeFirst<T>({
  count = 2,
  delay = 500,
  maxDelay = 30_000,
}: RetryOptions = {}): MonoTypeOperatorFunction<T> {
  return (source) =>
    defer(() => {
      let begun = false;
      return source.pipe(
        tap(() => (begun = true)),
        retry({
          count,
          delay: (error: unknown, attempt) => {
            const again = !begun && isProviderError(error) && error.retryable;
            const wait = (isProviderError(error) && error.retryAfter) || backoff(delay, attempt);
            return again && wait <= maxDelay ? timer(Math.min(wait, maxDelay)) : throwError(() => error);
          },
        }),
      );
    });
}

function backoff(delay: number, attempt: number): number {
  return delay * 2 ** (attempt - 1) * (1 + Math.random() / 4);
}
