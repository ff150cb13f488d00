import { quoteId } from "../protocol/quote-id.js";

/** A call, message, reasoning or step was used after its end. Know it by its `code`. */
export class BracketClosedError extends Error {
  override readonly name = "BracketClosedError";
  readonly code = "bracket-closed";
  /** Id of the call, message or reasoning; name of the step. */
  readonly id: string;

  constructor(label: string, id: string, use: string) {
    super(`${use} of ${label} ${quoteId(id)} came after its end. Open another one to go on.`);
    this.id = id;
  }
}
