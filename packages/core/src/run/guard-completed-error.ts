/** A run's guard completed before the run's terminal event had passed it. Know it by its `code`. */
export class GuardCompletedError extends Error {
  override readonly name = "GuardCompletedError";
  readonly code = "guard-completed";

  constructor() {
    super("The run's guard completed before the run had ended; it has to pass every event on.");
  }
}
