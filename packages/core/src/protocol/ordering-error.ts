import type { AGUIEvent } from "./vocabulary.js";
import type { EntityKind } from "./lifecycle.js";

/** The stable names of the ordering rules; `rules` of `@agrx/verify` describes each. */
export type RuleId =
  | "not-started"
  | "run-ended"
  | "duplicate-run-started"
  | "run-mismatch"
  | "id-reused"
  | "duplicate-start"
  | "not-open"
  | "unknown-id"
  | "out-of-order"
  | "open-at-finish"
  | "owner-mismatch"
  | "chunk-without-id"
  | "chunk-conflict"
  | "chunk-ambiguous"
  | "invalid-outcome"
  | "frontend-tool-answered"
  | "truncated"
  | "reopen-conflict"
  | "unknown-event"
  | "invalid-event"
  | "not-offered"
  | (string & {});

/** An entity that was open when a rule was broken. */
export interface OpenEntity {
  readonly kind: EntityKind;
  readonly id: string;
}

/** One broken rule as data; the words come from {@link OrderingError}. */
export interface Violation {
  readonly rule: RuleId;
  /** The event that broke the rule; undefined when the stream ended. */
  readonly event: AGUIEvent | undefined;
  /** Position in the operator's input, from 0; the number of events when the stream ended. */
  readonly index: number;
  /** Id of the entity concerned, where there is one. */
  readonly id: string | undefined;
  /** What was open. */
  readonly open: readonly OpenEntity[];
  /** What came, what was expected and how to mend it; holds ids and types, never payloads. */
  readonly message: string;
  /** Of a malformed event: where in it, as a dotted path such as `messages.2.role`. */
  readonly path?: string | undefined;
}

/**
 * A stream of events broke an ordering rule of the protocol.
 *
 * Know it by its `rule`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class OrderingError extends Error implements Violation {
  override readonly name = "OrderingError";
  declare readonly rule: RuleId;
  declare readonly event: AGUIEvent | undefined;
  declare readonly index: number;
  declare readonly id: string | undefined;
  declare readonly open: readonly OpenEntity[];
  declare readonly path?: string | undefined;

  constructor({ message, ...violation }: Violation) {
    super(message);
    Object.assign(this, violation);
  }

  /** The same as `rule`, under the name that other errors use. */
  get code(): RuleId {
    return this.rule;
  }
}

/** Whether a value is an {@link OrderingError}, of this copy of the package or of another. */
export function isOrderingError(value: unknown): value is OrderingError {
  return value instanceof Error && value.name === "OrderingError" && "rule" in value;
}
