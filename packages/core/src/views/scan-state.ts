import type { OperatorFunction } from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { scanFold, type Fold } from "./fold.js";
import { StateFold } from "./fold-state.js";

/**
 * Builds the state of a thread from its events.
 *
 * ```text
 * source:        --s--d--t--|      s: a snapshot, d: a delta, t: text
 * scanState()
 * result:        --1--2-----|
 * ```
 *
 * Emits the state after each event that changes it, synchronously; STATE_SNAPSHOT replaces it, STATE_DELTA
 * patches it. A state is never changed later. What a delta does not touch keeps its reference; of a snapshot
 * all that equals what was there, or its members that do.
 *
 * A delta applies as a whole or not at all: then the state stays the very same and a warning `patch-failed`
 * says why. A patch that is no JSON Patch is the stream's error, a `PatchError`. Completes and errors with
 * the source. State outlives runs.
 *
 * @typeParam State - what the agent keeps; not checked
 * @param initial - the state before the run, as sent in its input; `{}` by default
 * @param options - `onWarning` hears of patches that did not apply
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { events, scanState } from "@agrx/core";
 *
 * from([
 *   events.stateSnapshot({ snapshot: { todo: ["write"] } }),
 *   events.stateDelta({ delta: [{ op: "add", path: "/todo/-", value: "rest" }] }),
 * ])
 *   .pipe(scanState<{ todo: string[] }>())
 *   .subscribe((state) => console.log(state.todo.length)); // 1, 2
 * ```
 */
export function scanState<State = unknown>(
  initial?: State,
  options: WarningOptions = {},
): OperatorFunction<AGUIEvent, State> {
  return scanFold((warn) => new StateFold(initial, warn) as Fold<State>, options);
}
