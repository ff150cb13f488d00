import { ProviderError } from "../provider-error.js";

/** The error of a stream that ended before its answer did. */
export function truncatedError(provider: string): ProviderError {
  return new ProviderError({
    code: "truncated",
    message: `The stream of "${provider}" ended before its answer did: no finish came. Send the request again.`,
    retryable: true,
    provider,
  });
}
