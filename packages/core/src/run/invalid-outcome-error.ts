/** A run was told an outcome that the protocol has no place for. Know it by its `code`, the rule's id. */
export class InvalidOutcomeError extends Error {
  override readonly name = "InvalidOutcomeError";
  readonly code = "invalid-outcome";

  constructor(reason: string) {
    super(`The run cannot end like this: ${reason}.`);
  }
}
