import { OrderingError, type AGUIEvent } from "@agrx/core";
import type { MonoTypeOperatorFunction } from "rxjs";
import type { VerifyOptions } from "./options.js";
import { checkEach } from "./order/check-each.js";
import { createOrderMachine } from "./order/order-machine.js";

/**
 * Passes legal events on, the same objects, and errors at the first illegal one, which is not passed on.
 *
 * ```text
 * source:    --s--a--x--e--|      x: a fragment of a call that nobody opened
 * verify()
 * result:    --s--a--#            OrderingError, rule "not-open"
 * ```
 *
 * Synchronous. Errors with an {@link OrderingError}, whose `rule` is in {@link rules}; also where the source
 * completes while a run is active or without one (`truncated`). An error of the source passes as it is.
 * Completes with the source, and leaves it at once when it errors or is unsubscribed. Each subscription is
 * judged for itself. Chunk events are judged as what `expandChunks` makes of them.
 *
 * @param options - `profile` (default "consumer"), `input`, `schemas` and `onWarning`
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { events } from "@agrx/core";
 * import { verify } from "@agrx/verify";
 *
 * from([
 *   events.runStarted({ threadId: "t", runId: "r" }),
 *   events.toolCallArgs({ toolCallId: "call-1", delta: "{}" }),
 * ])
 *   .pipe(verify())
 *   .subscribe({
 *     next: (event) => console.log(event.type), // RUN_STARTED
 *     error: (error) => console.log(error.rule), // not-open
 *   });
 * ```
 */
export function verify(options: VerifyOptions = {}): MonoTypeOperatorFunction<AGUIEvent> {
  return checkEach(() =>
    createOrderMachine(options, (violation) => {
      throw new OrderingError(violation);
    }),
  );
}
