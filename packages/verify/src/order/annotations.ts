import { quoteId } from "@agrx/core";
import { differs } from "./brackets.js";
import type { CompiledRow } from "./compile-rows.js";
import type { Owner } from "./entity.js";
import { tableOf, type Fields, type Ledger } from "./ledger.js";

/** Attaches a value to a message or call, open or not. */
export function annotate(
  ledger: Ledger,
  row: CompiledRow,
  event: Fields,
  id: string,
  tag: Owner,
  isFirstRun: boolean,
): void {
  const { field, kinds } = row.row.targets!;
  const target = event[field];
  if (typeof target !== "string" || !Object.hasOwn(kinds, target)) return;
  for (const kind of kinds[target]!) {
    const entity = tableOf(ledger, kind).get(id);
    if (entity === undefined) continue;
    if (tag !== undefined && tag !== entity.owner) {
      differs(ledger, row, event, id, entity, tag, `${quoteId(id)} belongs to`);
    }
    return;
  }
  // What earlier runs opened is not kept.
  if (isFirstRun) {
    ledger.warn("unknown-id", event, id, `names ${quoteId(id)}, which the run has not shown: it is skipped`);
  }
}
