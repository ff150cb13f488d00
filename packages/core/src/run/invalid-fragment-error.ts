/** A source of text gave something else than strings. Know it by its `code`. */
export class InvalidFragmentError extends Error {
  override readonly name = "InvalidFragmentError";
  readonly code = "invalid-fragment";

  constructor(came: string) {
    super(
      `A source of fragments gave ${came}; a fragment is a string. Give JSON.stringify of a value instead.`,
    );
  }
}
