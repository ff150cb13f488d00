/** A run's project gave something that is neither events nor an outcome. Know it by its `code`. */
export class InvalidProjectError extends Error {
  override readonly name = "InvalidProjectError";
  readonly code = "invalid-project";

  constructor(came: string) {
    super(
      `A run's project gave ${came}. Return an Observable or iterable of events, or be an async function ` +
        "that drives handles and gives nothing or an outcome.",
    );
  }
}
