import { stateful, type AGUIEvent, type Violation } from "@agrx/core";
import type { MonoTypeOperatorFunction } from "rxjs";
import { createVerifier } from "./create-verifier.js";
import { createMender } from "./mender.js";
import type { VerifyOptions } from "./options.js";
import type { Repair } from "./repair-report.js";

/** The options of {@link repair}. */
export interface RepairOptions extends VerifyOptions {
  /** Told of each change, and of each fault that stays. Default: nobody is. */
  readonly onRepair?: (repair: Repair) => void;
}

/**
 * Makes a legal stream of an illegal one, where that loses nothing.
 *
 * ```text
 * source:    --S--c--e--e--F--|      c: content of a message that nobody opened, e: its end, twice
 * repair()
 * result:    --S-(oc)-e----F--|      o: the opening, inserted
 * ```
 *
 * - Content or the end of a message that was never opened opens it; arguments reopen a call whose name is known.
 * - A second end, and a second opening or run start that says the same again, are dropped.
 * - A result waits for the end of its call.
 * - What is open at RUN_FINISHED is ended before it, innermost first. A tool call is ended only when its text
 *   is whole JSON: an end says that the arguments are.
 * - With `input`, a missing RUN_STARTED is inserted.
 *
 * Everything else passes as it is: `onRepair` is told of it with the change `none`, and `verify` behind would
 * refuse it. No outcome is made up for a stream that just ends. Synchronous; completes and errors with the
 * source. Keeps the openings and the arguments of a run's calls until it ends.
 *
 * @param options - those of `verify`, and `onRepair`
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { events } from "@agrx/core";
 * import { repair } from "@agrx/verify";
 *
 * of(
 *   events.runStarted({ threadId: "t", runId: "r" }),
 *   events.textMessageStart({ messageId: "m" }),
 *   events.runFinished({ threadId: "t", runId: "r" }),
 * )
 *   .pipe(repair({ onRepair: ({ rule, change }) => console.log(rule, change) })) // open-at-finish inserted
 *   .subscribe();
 * ```
 */
export function repair(options: RepairOptions = {}): MonoTypeOperatorFunction<AGUIEvent> {
  const { onRepair } = options;
  return stateful<AGUIEvent, AGUIEvent>(() => {
    const verifier = createVerifier(options);
    let index = -1;
    const told = (violation: Violation | undefined) => {
      if (!violation) return;
      const { rule, event, id, message } = violation;
      onRepair?.({ rule, change: "none", event, index, id, message });
    };
    const mender = createMender(options, (change) => onRepair?.({ ...change, index }));
    return {
      push(event, emit) {
        index++;
        mender.push(event, (mended) => {
          told(verifier.observe(mended));
          emit(mended);
        });
      },
      end(emit) {
        index++;
        mender.end((mended) => {
          told(verifier.observe(mended));
          emit(mended);
        });
        told(verifier.finish());
      },
    };
  });
}
