import type { RuleId, Violation } from "@agrx/core";
import type { Entity } from "./entity.js";
import type { EntityTables, Fields, Row } from "./protocol.js";

/** What the rules read and write, and whom they tell. */
export interface Ledger {
  readonly isProducer: boolean;
  readonly tables: EntityTables;

  /** Undefined before the first run. */
  phase: "active" | "finished" | "failed" | undefined;
  runId: unknown;
  threadId: unknown;

  /** The event at hand, its position from 0, and its row. */
  event: Fields | undefined;
  index: number;
  row: Row;

  /**
   * Tells a violation by the event at hand, or else a warning.
   *
   * @param text - what came, what was expected and what to do; `$` stands for the entity with the id
   * @param entity - the one at fault
   */
  fault(rule: RuleId, text: string, id: unknown, entity?: Entity, isError?: boolean, path?: string): void;
}

/** Is told of a violation, and of the entity at fault. */
export type Report = (violation: Violation, entity: Entity | undefined) => void;
