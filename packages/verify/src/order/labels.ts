import type { CompiledRow } from "./compile-rows.js";
import { ASSUMED, CLOSED, type Label, type Owner } from "./entity.js";
import { agentOf, nameOf, type Fields, type Ledger } from "./ledger.js";
import { notOpen } from "./brackets.js";

/** Starts a step. */
export function openLabel(ledger: Ledger, row: CompiledRow, event: Fields, id: string, owner: Owner): void {
  const labels = ledger.tables[row.kind] as Map<string, Label>;
  const first = labels.get(id);
  let label = first;
  while (label !== undefined && label.owner !== owner) label = label.next;
  if (label === undefined) labels.set(id, (label = { owner, slot: CLOSED, next: first }));
  else if (label.slot >= 0) {
    ledger.fault(
      "duplicate-start",
      event,
      id,
      `starts ${nameOf(row, id)} of ${agentOf(owner)}, which is open`,
      "Finish it first.",
    );
    return;
  }
  ledger.open.add(label, row.kind, id);
}

/** Finishes a step; nothing is kept of it. */
export function closeLabel(ledger: Ledger, row: CompiledRow, event: Fields, id: string, owner: Owner): void {
  const labels = ledger.tables[row.kind] as Map<string, Label>;
  const first = labels.get(id);
  let before: Label | undefined;
  let label = first;
  while (label !== undefined && label.owner !== owner) {
    before = label;
    label = label.next;
  }
  if (label !== undefined) {
    if (label.slot >= 0) ledger.open.remove(label, CLOSED);
    if (before !== undefined) before.next = label.next;
    else if (label.next !== undefined) labels.set(id, label.next);
    else labels.delete(id);
    return;
  }
  let other = first;
  while (other !== undefined && other.slot < 0) other = other.next;
  if (other === undefined) {
    if (first === undefined) notOpen(ledger, row, event, id);
    return;
  }
  ledger.fault(
    "owner-mismatch",
    event,
    id,
    `comes from ${agentOf(owner)}, but ${nameOf(row, id)} was started by ${agentOf(other.owner)}`,
    "Repeat the subagentRunId of its start exactly, or leave it out as that did.",
  );
  // Which of them was meant is not certain: none has to be finished any more.
  for (label = first; label !== undefined; label = label.next) {
    if (label.slot >= 0) ledger.open.remove(label, ASSUMED);
  }
}
