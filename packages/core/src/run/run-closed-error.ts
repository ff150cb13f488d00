import { CodedError } from "../protocol/coded-error.js";
import { quoteId } from "../protocol/quote-id.js";

/**
 * A handle or builder was used after its run's terminal event.
 *
 * Know it by its `code`. The usual cause is work that outlives the run: let it end at `ctx.signal`.
 */
export class RunClosedError extends CodedError<"run-closed", { readonly runId: string }> {
  override readonly name = "RunClosedError";
  declare readonly runId: string;

  constructor(runId: string) {
    super(
      "run-closed",
      `Run ${quoteId(runId)} has ended: nothing can be sent into it. Await what works, or stop it at ctx.signal.`,
      { runId },
    );
  }
}
