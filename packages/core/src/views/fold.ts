import type { OperatorFunction } from "rxjs";
import type { AGUIEvent, EventOf, EventTypeName } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { stateful, type Machine } from "../stream/stateful.js";
import { createWarn, type Warn } from "./create-warn.js";

/** What a fold does with events of each type; an event of a type without a method changes nothing. */
export type EventMethods = { readonly [T in EventTypeName]?: (event: EventOf<T>) => void };

/**
 * A value that events change: never in place, and to another reference only when it changes.
 *
 * A subclass has a method for each event type that it follows. A class, since its methods are compiled once,
 * where closures made for each subscription start over: the second subscription took three times as long.
 */
export abstract class Fold<T> {
  abstract readonly value: T;

  apply(event: AGUIEvent): void {
    // Only names in capitals: what came unchecked may be called "constructor".
    if ((event.type as string) < "[")
      (this as unknown as Record<string, (event: AGUIEvent) => void>)[event.type]?.(event);
  }
}

/** Makes an operator of a fold, one fold a subscription: emits the value after each event that changes it. */
export function scanFold<T>(
  create: (warn: Warn) => Fold<T>,
  options: WarningOptions,
): OperatorFunction<AGUIEvent, T> {
  return stateful(() => new FoldMachine(create, options));
}

class FoldMachine<T> implements Machine<AGUIEvent, T> {
  readonly #fold: Fold<T>;
  #shown: T;
  #index = -1;

  constructor(create: (warn: Warn) => Fold<T>, options: WarningOptions) {
    this.#fold = create(createWarn(options, () => this.#index));
    this.#shown = this.#fold.value;
  }

  push(event: AGUIEvent, emit: (value: T) => void): void {
    this.#index++;
    this.#fold.apply(event);
    const { value } = this.#fold;
    if (value !== this.#shown) emit((this.#shown = value));
  }

  end(): void {
    // All has been emitted.
  }
}
