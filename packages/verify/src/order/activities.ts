import { checkMessageId, createEntity, differs } from "./brackets.js";
import type { CompiledRow } from "./compile-rows.js";
import { assumed, type Owner } from "./entity.js";
import { nameOf, type Fields, type Ledger } from "./ledger.js";

/** Shows an activity; one that replaces what is there takes it over. */
export function show(ledger: Ledger, row: CompiledRow, event: Fields, id: string, tag: Owner): void {
  const entities = ledger.tables[row.kind]!;
  const entity = entities.get(id);
  if (entity !== undefined && event[row.row.replaces!] === false) {
    if (ledger.producer && tag !== undefined && tag !== entity.owner)
      differs(ledger, row, event, id, entity, tag);
    return;
  }
  if (ledger.producer && entity === undefined) checkMessageId(ledger, row, event, id);
  entities.set(id, createEntity(ledger, row, event, tag));
}

/** Updates an activity. */
export function update(ledger: Ledger, row: CompiledRow, event: Fields, id: string, tag: Owner): void {
  const entities = ledger.tables[row.kind]!;
  const entity = entities.get(id);
  if (entity !== undefined) {
    if (tag !== undefined && tag !== entity.owner) differs(ledger, row, event, id, entity, tag);
    return;
  }
  const problem = `updates ${nameOf(row, id)}, which no snapshot has shown`;
  if (ledger.producer) ledger.fault("unknown-id", event, id, problem, "Send its snapshot first.");
  else ledger.warn("unknown-id", event, id, `${problem}: it is skipped`);
  entities.set(id, assumed);
}
