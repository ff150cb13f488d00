import type { EntityKind } from "../protocol/lifecycle.js";

/** One entity between its opening and its closing event. */
export interface Bracket {
  readonly kind: EntityKind;
  readonly id: string;
  /** The subagent it belongs to, as its opening event says. */
  owner: string | undefined;
  open: boolean;
  /** What became of the builder that made it; "none" for plain events and handles. */
  builder: "none" | "working" | "finished" | "abandoned";
  /** How many of its events its builder sent, and how many have come by: the others are still on their way. */
  sent: number;
  seen: number;
}
