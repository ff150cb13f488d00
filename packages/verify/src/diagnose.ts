import { stateful, type AGUIEvent, type Violation } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { VerifyOptions } from "./options.js";
import { createRecoveringMachine } from "./order/recovery.js";

/** What {@link diagnose} says of an event, or of the end of the stream. */
export interface Diagnosis {
  /** Undefined for the end of the stream. */
  readonly event: AGUIEvent | undefined;
  /** Position in the stream, from 0; for its end, the number of events. */
  readonly index: number;
  /** The rules that the event breaks; most often none. */
  readonly violations: readonly Violation[];
}

/**
 * Says of every event which rules it breaks, and goes on after a violation.
 *
 * ```text
 * source:      --s--a--x--e--|       x: breaks a rule
 * diagnose()
 * result:      --0--0--1--0--|       how many violations; one more value at the end when the end breaks one
 * ```
 *
 * Goes on from the most likely state, so that one fault is one violation, or two where both sides of it
 * show. Synchronous; completes with the source. Never errors by itself: an error of the source passes.
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { events } from "@agrx/core";
 * import { diagnose } from "@agrx/verify";
 *
 * from([
 *   events.runStarted({ threadId: "t", runId: "r" }),
 *   events.textMessageEnd({ messageId: "m" }),
 *   events.runFinished({ threadId: "t", runId: "r" }),
 * ])
 *   .pipe(diagnose())
 *   .subscribe(({ index, violations }) => {
 *     for (const { rule } of violations) console.log(index, rule); // 1 not-open
 *   });
 * ```
 */
export function diagnose(options: VerifyOptions = {}): OperatorFunction<AGUIEvent, Diagnosis> {
  return stateful(() => {
    let violations: Violation[] = [];
    let index = 0;
    const machine = createRecoveringMachine(options, (violation) => violations.push(violation));
    return {
      push(event, emit) {
        violations = [];
        machine.observe(event);
        emit({ event, index: index++, violations });
      },
      end(emit) {
        violations = [];
        machine.finish();
        if (violations.length > 0) emit({ event: undefined, index, violations });
      },
    };
  });
}
