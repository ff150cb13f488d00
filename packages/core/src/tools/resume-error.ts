import { CodedError } from "../protocol/coded-error.js";
import { quoteId } from "../protocol/quote-id.js";

/** What is wrong with the answers to a run's interrupts; {@link ResumeError} carries it as `code`. */
export type ResumeErrorCode =
  /** The run to be resumed is not waiting for anything. */
  | "not-interrupted"
  /** An open interrupt has no answer. */
  | "unanswered-interrupt"
  /** An answer is for an interrupt that is not open. */
  | "unknown-interrupt"
  /** An interrupt is answered twice. */
  | "double-answer"
  /** The interrupt has expired: it can only be cancelled. */
  | "expired-interrupt"
  /** The call that the answer is about has its result already. */
  | "stale-answer"
  /** The answer's payload is not what was asked for. */
  | "invalid-answer";

/**
 * Interrupts and their answers do not fit each other. Nothing was run, and nothing was sent.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class ResumeError extends CodedError<ResumeErrorCode, { readonly interruptId: string | undefined }> {
  override readonly name = "ResumeError";
  declare readonly interruptId: string | undefined;

  /**
   * @param code - what is wrong
   * @param interruptId - the interrupt concerned, where there is one
   * @param what - is said after the interrupt's name
   */
  constructor(code: ResumeErrorCode, interruptId: string | undefined, what: string) {
    super(code, interruptId === undefined ? what : `Interrupt ${quoteId(interruptId)} ${what}`, {
      interruptId,
    });
  }
}
