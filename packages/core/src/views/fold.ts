import type { OperatorFunction } from "rxjs";
import { quoteId } from "../protocol/quote-id.js";
import type { AGUIEvent, EventOf, EventTypeName } from "../protocol/vocabulary.js";
import type { Warning, WarningOptions } from "../protocol/warning.js";
import { stateful } from "../stream/stateful.js";

/** A value that events change: never in place, and to another reference only when it changes. */
export interface Fold<T> {
  readonly value: T;
  readonly apply: (event: AGUIEvent) => void;
}

/** Tells of an event that was dropped, in whole or in part: a code, the id concerned and why. */
export type Warn = (event: AGUIEvent, code: string, id: string | undefined, why: string) => Warning;

/** Does with an event what is said for its type; an event of another type changes nothing. */
export function byType(handlers: { readonly [T in EventTypeName]?: (event: EventOf<T>) => void }) {
  return (event: AGUIEvent): void => {
    if (Object.hasOwn(handlers, event.type)) (handlers[event.type] as (event: AGUIEvent) => void)(event);
  };
}

/** Makes an operator of a fold, one fold a subscription: emits the value after each event that changes it. */
export function scanFold<T>(
  create: (warn: Warn) => Fold<T>,
  { onWarning }: WarningOptions,
): OperatorFunction<AGUIEvent, T> {
  return stateful(() => {
    let index = -1;
    const fold = create((event, code, id, why) => {
      const of = id === undefined ? "" : `, id ${quoteId(id)}`;
      const message = `${event.type} (event ${index}${of}) was dropped: ${why}`;
      const warning: Warning = { code, message, index, ...(id !== undefined && { id }) };
      onWarning?.(warning);
      return warning;
    });
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
