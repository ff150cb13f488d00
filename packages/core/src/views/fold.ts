import type { OperatorFunction } from "rxjs";
import type { AGUIEvent, EventOf, EventTypeName } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { stateful } from "../stream/stateful.js";
import { createWarn, type Warn } from "./create-warn.js";

/** A value that events change: never in place, and to another reference only when it changes. */
export interface Fold<T> {
  readonly value: T;
  readonly apply: (event: AGUIEvent) => void;
}

/** Does with an event what is said for its type; an event of another type changes nothing. */
export function byType(handlers: { readonly [T in EventTypeName]?: (event: EventOf<T>) => void }) {
  return (event: AGUIEvent): void => {
    if (Object.hasOwn(handlers, event.type)) (handlers[event.type] as (event: AGUIEvent) => void)(event);
  };
}

/** Makes an operator of a fold, one fold a subscription: emits the value after each event that changes it. */
export function scanFold<T>(
  create: (warn: Warn) => Fold<T>,
  options: WarningOptions,
): OperatorFunction<AGUIEvent, T> {
  return stateful(() => {
    let index = -1;
    const fold = create(createWarn(options, () => index));
    let shown = fold.value;
    return {
      push(event, emit) {
        index++;
        fold.apply(event);
        const { value } = fold;
        if (value !== shown) emit((shown = value));
      },
      end: () => undefined,
    };
  });
}
