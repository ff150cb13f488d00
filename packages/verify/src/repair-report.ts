import type { AGUIEvent, RuleId } from "@agrx/core";

/** What `repair` did about a fault, or that it could do nothing. */
export interface Repair {
  /** The rule that was broken. */
  readonly rule: RuleId;
  /**
   * `inserted` and `dropped` tell of an event that was added or left out, `moved` of one that had to wait;
   * `none` of a fault that is still there, since mending it would lose or invent something.
   */
  readonly change: "inserted" | "dropped" | "moved" | "none";
  /** The event that was inserted, dropped or moved, or the one still at fault; undefined for the stream's end. */
  readonly event: AGUIEvent | undefined;
  /** Position in the input, from 0, of the event that showed the fault. */
  readonly index: number;
  readonly id: string | undefined;
  /** What was done and why; ids and types only. */
  readonly message: string;
}
