import { quoteId } from "../protocol/quote-id.js";

/** A tool call's handle was given a second result. Know it by its `code`. */
export class AlreadyAnsweredError extends Error {
  override readonly name = "AlreadyAnsweredError";
  readonly code = "already-answered";
  readonly toolCallId: string;

  constructor(toolCallId: string) {
    super(`Tool call ${quoteId(toolCallId)} has its result already: a call is answered once.`);
    this.toolCallId = toolCallId;
  }
}
