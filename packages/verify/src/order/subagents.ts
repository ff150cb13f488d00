import type { CompiledRow } from "./compile-rows.js";
import { assumed, CLOSED } from "./entity.js";
import { nameOf, type Fields, type Ledger } from "./ledger.js";

/** Announces a subagent: its id is one invocation's, used once. */
export function announce(ledger: Ledger, row: CompiledRow, event: Fields, id: string): void {
  const entities = ledger.tables[row.kind]!;
  const entity = entities.get(id);
  const { parent: field } = row.row;
  const parent = field && (event[field] as string | undefined);
  if (entity !== undefined && entity.slot >= 0) {
    ledger.fault(
      "duplicate-start",
      event,
      id,
      `announces ${nameOf(row, id)}, which is open`,
      "Announce an id once.",
    );
    return;
  }
  if (entity !== undefined && entity.slot === CLOSED) {
    ledger.fault(
      "id-reused",
      event,
      id,
      `announces ${nameOf(row, id)}, which has ended in this run`,
      "Give each invocation an id of its own.",
    );
    entities.set(id, assumed);
    return;
  }
  if (ledger.tags.has(id) && entity === undefined) {
    ledger.fault(
      "out-of-order",
      event,
      id,
      `announces ${nameOf(row, id)} after events that carry its id`,
      "Announce a subagent before its first event.",
    );
  }
  if (parent !== undefined && !entities.has(parent)) {
    ledger.fault(
      "unknown-id",
      event,
      parent,
      `names ${nameOf(row, parent)} as its parent, which this run has not announced`,
      "Announce the parent first.",
    );
    entities.set(parent, assumed);
  }
  // Its own events carry its id as their tag, so that is its owner.
  const announced = { owner: id, slot: CLOSED };
  entities.set(id, announced);
  ledger.open.add(announced, row.kind, id);
}
