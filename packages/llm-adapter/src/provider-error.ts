/** What a {@link ProviderError} is made of. */
export interface ProviderErrorFields {
  /** Stable name: the provider's own code or error type, or one of agrx's (`truncated`, `incomplete-tool-call`). */
  readonly code: string;
  readonly message: string;
  /** Whether the same request may succeed when it is sent again. */
  readonly retryable: boolean;
  /** Lower-case vendor id, such as `openai`. */
  readonly provider: string;
  /** What was thrown or sent. */
  readonly cause?: unknown;
  /** How long the provider asks to wait before another try, in milliseconds. */
  readonly retryAfter?: number;
}

/**
 * A provider failed, refused, or stopped before its answer was whole.
 *
 * Know it by `name` and `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class ProviderError extends Error implements ProviderErrorFields {
  override readonly name = "ProviderError";
  readonly code: string;
  readonly retryable: boolean;
  readonly provider: string;
  readonly retryAfter?: number;

  constructor(fields: ProviderErrorFields) {
    super(fields.message, { cause: fields.cause });
    this.code = fields.code;
    this.retryable = fields.retryable;
    this.provider = fields.provider;
    if (fields.retryAfter !== undefined) this.retryAfter = fields.retryAfter;
  }
}

/** Whether a value is a {@link ProviderError}, of this copy of the package or of another. */
export function isProviderError(value: unknown): value is ProviderError {
  return value instanceof Error && value.name === "ProviderError" && "provider" in value;
}
