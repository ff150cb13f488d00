import { applyJsonPatch } from "../state/apply-json-patch.js";
import type { EventOf } from "../protocol/vocabulary.js";
import type { Warn } from "./create-warn.js";
import { Fold, type EventMethods } from "./fold.js";
import { keepEqual } from "./keep-equal.js";
import { reasonOf } from "./reason-of.js";

/** The state of a thread: the initial one, `{}` where there is none, until an event changes it. */
export class StateFold extends Fold<unknown> implements EventMethods {
  value: unknown;
  readonly #warn: Warn;

  constructor(initial: unknown, warn: Warn) {
    super();
    this.value = initial === undefined ? {} : initial;
    this.#warn = warn;
  }

  STATE_SNAPSHOT({ snapshot }: EventOf<"STATE_SNAPSHOT">): void {
    this.value = keepEqual(this.value, snapshot as unknown);
  }

  STATE_DELTA(event: EventOf<"STATE_DELTA">): void {
    try {
      this.value = applyJsonPatch(this.value, event.delta);
    } catch (error) {
      this.#warn(event, "patch-failed", undefined, reasonOf(error));
    }
  }
}
