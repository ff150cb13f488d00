import { CodedError } from "../protocol/coded-error.js";

/** Why a state was not published; {@link StateError} carries it as `code`. */
export type StateErrorCode =
  /** The state does not fit the publisher's schema. */
  | "invalid-state"
  /** The state is `undefined`: most likely a recipe that changed its argument instead of returning. */
  | "missing-state";

/**
 * A state was not published; the one before it still stands.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class StateError extends CodedError<StateErrorCode> {
  override readonly name = "StateError";
}
