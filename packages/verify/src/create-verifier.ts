import type { AGUIEvent, Violation } from "@agrx/core";
import type { VerifyOptions } from "./options.js";
import type { ProtocolTables } from "./order/protocol.js";
import { createRecoveringMachine } from "./order/recovery.js";

/** The options of {@link createVerifier}. */
export interface VerifierOptions extends VerifyOptions {
  /**
   * The tables that say what each event does. Default: the protocol's own.
   *
   * @internal
   */
  readonly tables?: ProtocolTables;
}

/** The state machine of the ordering rules; see {@link createVerifier}. */
export interface Verifier {
  /** Takes the next event; gives the first rule that it breaks, or undefined. */
  observe(event: AGUIEvent): Violation | undefined;
  /** Says that no more comes; gives `truncated` when a run is active or none has come. */
  finish(): Violation | undefined;
}

/**
 * The state machine of the ordering rules alone, for whoever has no Observable.
 *
 * After a violation it goes on from the most likely state: one fault is told once. Its state is one
 * stream's; make another for another stream. It throws nothing but what `onWarning` throws.
 *
 * @example
 * ```ts
 * import { events } from "@agrx/core";
 * import { createVerifier } from "@agrx/verify";
 *
 * const verifier = createVerifier();
 * verifier.observe(events.runStarted({ threadId: "t", runId: "r" }));
 * const violation = verifier.observe(events.toolCallEnd({ toolCallId: "call-1" }));
 * console.log(violation?.rule, violation?.id); // not-open call-1
 * console.log(verifier.finish()?.rule); // truncated
 * ```
 */
export function createVerifier(options: VerifierOptions = {}): Verifier {
  let first: Violation | undefined;
  const machine = createRecoveringMachine(options, (violation) => (first ??= violation), options.tables);
  return {
    observe(event) {
      first = undefined;
      machine.observe(event);
      return first;
    },
    finish() {
      first = undefined;
      machine.finish();
      return first;
    },
  };
}
