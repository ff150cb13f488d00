import { applyJsonPatch } from "../state/apply-json-patch.js";
import type { Warn } from "./create-warn.js";
import { byType, type Fold } from "./fold.js";
import { keepEqual } from "./keep-equal.js";
import { reasonOf } from "./reason-of.js";

/** The state of a thread: the initial one, `{}` where there is none, until an event changes it. */
export function foldState(initial: unknown, warn: Warn): Fold<unknown> {
  let state: unknown = initial === undefined ? {} : initial;
  return {
    get value() {
      return state;
    },
    apply: byType({
      STATE_SNAPSHOT({ snapshot }) {
        state = keepEqual(state, snapshot as unknown);
      },
      STATE_DELTA(event) {
        try {
          state = applyJsonPatch(state, event.delta);
        } catch (error) {
          warn(event, "patch-failed", undefined, reasonOf(error));
        }
      },
    }),
  };
}
