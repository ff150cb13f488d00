/** The arguments of a tool call are an unfinished JSON text. Know it by its `code`. */
export class IncompleteArgumentsError extends Error {
  override readonly name = "IncompleteArgumentsError";
  readonly code = "incomplete-arguments";

  constructor(
    call: string,
    missing: string,
    readonly toolCallId: string,
  ) {
    super(`The arguments of ${call} are not whole yet: ${missing}`);
  }
}

/** The arguments of a tool call are no JSON, or its schema refuses their value. Know it by its `code`. */
export class InvalidArgumentsError extends Error {
  override readonly name = "InvalidArgumentsError";
  readonly code = "invalid-arguments";

  constructor(
    call: string,
    reason: string,
    readonly toolCallId: string,
  ) {
    super(`The arguments of ${call} are invalid: ${reason}`);
  }
}

/** A schema validates asynchronously where an answer is needed at once. Know it by its `code`. */
export class AsyncSchemaError extends Error {
  override readonly name = "AsyncSchemaError";
  readonly code = "async-schema";

  constructor(call: string) {
    super(`The schema for the arguments of ${call} validates asynchronously. Give one that answers at once.`);
  }
}
