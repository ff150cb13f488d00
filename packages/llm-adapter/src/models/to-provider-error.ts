import { isProviderError, ProviderError } from "../provider-error.js";

/** What the official SDKs put on the errors they throw, as far as they agree. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly code?: unknown;
  readonly type?: unknown;
  readonly error?: unknown;
  readonly headers?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: unknown };
}

/** Answers that say "later", as opposed to "never": request timeout, conflict, too early, rate limit. */
const laterStatus = new Set([408, 409, 425, 429]);

/**
 * Makes a {@link ProviderError} of whatever a provider's SDK threw; one that already is passes as it is.
 *
 * Retryable are errors without an HTTP status (the connection), 408, 409, 425, 429 and 5xx.
 *
 * @example
 * ```ts
 * import { toProviderError } from "@agrx/llm-adapter";
 *
 * const error = toProviderError({ status: 429, message: "Slow down", headers: { "retry-after": "2" } }, "openai");
 * console.log(error.code, error.retryable, error.retryAfter); // http-429 true 2000
 * ```
 */
export function toProviderError(error: unknown, provider: string): ProviderError {
  if (isProviderError(error)) return error;
  const thrown: SdkError = typeof error === "object" && error !== null ? error : { message: String(error) };
  const status = statusOf(thrown);
  const retryAfter = retryAfterOf(thrown.headers);
  return new ProviderError({
    code: codeOf(thrown, status),
    message: thrown.message ?? "The provider failed without a message.",
    retryable: status === undefined ? !isProgrammingError(thrown) : laterStatus.has(status) || status >= 500,
    provider,
    cause: error,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

function statusOf({ status, statusCode, $metadata }: SdkError): number | undefined {
  return [status, statusCode, $metadata?.httpStatusCode].find((value) => typeof value === "number");
}

function codeOf(thrown: SdkError, status: number | undefined): string {
  const body = (thrown.error ?? {}) as { type?: unknown; code?: unknown; error?: { type?: unknown } };
  const named = [thrown.code, body.error?.type, body.code, body.type, thrown.type];
  const known = named.find(
    (value): value is string => typeof value === "string" && value !== "" && value !== "error",
  );
  return known ?? (status === undefined ? (thrown.name ?? "connection-error") : `http-${status}`);
}

function isProgrammingError({ name }: SdkError): boolean {
  return name === "TypeError" || name === "RangeError" || name === "ReferenceError" || name === "SyntaxError";
}

/** `Retry-After` in milliseconds: a number of seconds or a date; `retry-after-ms` comes first. */
function retryAfterOf(headers: unknown): number | undefined {
  const header = (name: string): string | undefined => {
    const value = isHeaders(headers)
      ? headers.get(name)
      : (headers as Record<string, unknown> | undefined)?.[name];
    return typeof value === "string" ? value : undefined;
  };
  const milliseconds = Number.parseFloat(header("retry-after-ms") ?? "");
  if (milliseconds >= 0) return milliseconds;
  const text = header("retry-after");
  if (text === undefined) return undefined;
  const seconds = Number(text);
  const wait = Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1000;
  return wait >= 0 ? wait : undefined;
}

/** A web `Headers`, as opposed to a plain object. */
function isHeaders(headers: unknown): headers is { get(name: string): unknown } {
  return typeof (headers as { get?: unknown } | undefined)?.get === "function";
}
