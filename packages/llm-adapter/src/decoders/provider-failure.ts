import { ProviderError } from "../provider-error.js";

/** Codes and types of errors after which the same request may succeed, in the words of all providers. */
const retryableWords =
  /overload|rate.?limit|throttl|timeout|timed.?out|unavailable|capacity|server.?error|stream.?error|internal|api_error|busy|too.?many/i;

/**
 * Reads the error that a provider sent in its stream; code (a string or a number) and message are both kept.
 *
 * @param payload - the error object, the text of one, or an object that holds one under `error`
 * @param provider - lower-case vendor id
 */
export function providerFailure(payload: unknown, provider: string): ProviderError {
  const error = inner(payload);
  const fields = typeof error === "object" && error !== null ? (error as Record<string, unknown>) : {};
  const type = fields["type"] === "error" ? undefined : word(fields["type"]);
  const code = word(fields["code"]) ?? type ?? word(fields["status"]) ?? "provider-error";
  const message =
    word(fields["message"]) ??
    word(fields["detail"]) ??
    word(error) ??
    `"${provider}" reported an error in its stream without a message.`;
  return new ProviderError({ code, message, retryable: isRetryable(fields, code), provider, cause: payload });
}

function inner(payload: unknown): unknown {
  if (typeof payload !== "object" || payload === null || !("error" in payload)) return payload;
  return payload.error ?? payload;
}

function word(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function isRetryable(fields: Record<string, unknown>, code: string): boolean {
  const status = Number(fields["status"] ?? fields["code"]);
  if (Number.isInteger(status) && status >= 400)
    return status === 408 || status === 409 || status === 429 || status >= 500;
  return retryableWords.test(code) || retryableWords.test(word(fields["type"]) ?? "");
}
