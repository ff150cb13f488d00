import { quoteId } from "@agrx/core";
import type { CompiledRow } from "./compile-rows.js";
import {
  anyone,
  assumed,
  CLOSED,
  forgotten,
  type Entity,
  type Owner,
  type ProducerEntity,
} from "./entity.js";
import { agentOf, nameOf, openInWords, type Fields, type Ledger } from "./ledger.js";

/** Opens a message, call or span, for the first time or again. */
export function openBracket(ledger: Ledger, row: CompiledRow, event: Fields, id: string, tag: Owner): void {
  const entities = ledger.tables[row.kind]!;
  let entity = entities.get(id);
  if (entity !== undefined && entity.slot >= 0) {
    ledger.fault(
      "duplicate-start",
      event,
      id,
      `opens ${nameOf(row, id)}, which is open`,
      "End it first, or open another id.",
    );
    return;
  }
  let owner = tag;
  const host =
    row.within < 0 ? undefined : ledger.tables[row.within]!.get(event[row.row.within!.id] as string);
  if (host !== undefined) {
    if (tag !== undefined && tag !== host.owner) {
      differs(ledger, row, event, id, host, tag, `${nameOf(row, id)} stands in a message of`);
    }
    owner = host.owner;
  }
  const known = entity ?? (row.kin < 0 ? undefined : ledger.tables[row.kin]!.get(id));
  if (known !== undefined) {
    // An opener that names nobody, neither by a tag nor by its message, agrees with whoever opened it first.
    if (owner !== known.owner && owner !== anyone && (tag !== undefined || host !== undefined)) {
      differs(ledger, row, event, id, known, owner);
    }
    owner = known.owner;
  }
  if (entity === undefined || entity.owner === anyone) {
    if (entity === undefined && ledger.producer) checkMessageId(ledger, row, event, id);
    entities.set(id, (entity = createEntity(ledger, row, event, owner)));
  } else if (ledger.producer) reopen(ledger, row, event, id, entity as ProducerEntity);
  ledger.open.add(entity, row.kind, id);
}

/** Goes on with a message, call or span. */
export function continueBracket(
  ledger: Ledger,
  row: CompiledRow,
  event: Fields,
  id: string,
  tag: Owner,
): void {
  const entity = ledger.tables[row.kind]!.get(id);
  if (entity === undefined || entity.slot === CLOSED) notOpen(ledger, row, event, id);
  else if (tag !== undefined && tag !== entity.owner) differs(ledger, row, event, id, entity, tag);
}

/** Closes a message, call, span or subagent. */
export function closeBracket(ledger: Ledger, row: CompiledRow, event: Fields, id: string, tag: Owner): void {
  const entities = ledger.tables[row.kind]!;
  const entity = entities.get(id);
  if (entity === undefined || entity.slot === CLOSED) {
    notOpen(ledger, row, event, id);
    return;
  }
  if (tag !== undefined && tag !== entity.owner) differs(ledger, row, event, id, entity, tag);
  if (entity.slot >= 0) ledger.open.remove(entity, CLOSED);
  else if (entity === assumed) entities.set(id, forgotten);
  else entity.slot = CLOSED;
}

/** An event goes on with what is not open, or ends it. Told once: what follows on the id is taken for right. */
export function notOpen(ledger: Ledger, row: CompiledRow, event: Fields, id: string): void {
  const entities = ledger.tables[row.kind]!;
  const ends = row.row.role === "closes";
  if (!ledger.late) {
    const besides = ledger.open.size > 0 ? ` (open: ${openInWords(ledger)})` : "";
    ledger.fault(
      "not-open",
      event,
      id,
      `${ends ? "ends" : "continues"} ${nameOf(row, id)}, which is not open${besides}`,
      `Open ${quoteId(id)} first.`,
    );
  }
  if (!ends) entities.set(id, assumed);
  else if (!entities.has(id)) entities.set(id, forgotten);
}

/** An event is tagged with another agent than the one that owns the entity. Told once an entity. */
export function differs(
  ledger: Ledger,
  row: CompiledRow,
  event: Fields,
  id: unknown,
  entity: Entity,
  tag: Owner,
  relation = `${nameOf(row, id)} belongs to`,
): void {
  if (entity.owner === anyone) return;
  ledger.fault(
    "owner-mismatch",
    event,
    id,
    `comes from ${agentOf(tag)}, but ${relation} ${agentOf(entity.owner)}`,
    "Leave subagentRunId out or repeat the opener's.",
  );
  entity.owner = anyone;
}

/** Makes the record of an entity that an event opens. */
export function createEntity({ producer }: Ledger, row: CompiledRow, event: Fields, owner: Owner): Entity {
  if (!producer) return { owner, slot: CLOSED };
  const [first, second] = row.keeps;
  const entity: ProducerEntity = {
    owner,
    slot: CLOSED,
    first: first && (event[first.field] ?? first.absent),
    second: second && (event[second.field] ?? second.absent),
    pending: true,
  };
  return entity;
}

/** What a producer repeats when it opens an id again. */
function reopen(ledger: Ledger, row: CompiledRow, event: Fields, id: string, entity: ProducerEntity): void {
  entity.pending ??= true;
  row.keeps.forEach(({ field, absent }, at) => {
    const slot = at === 0 ? "first" : "second";
    const value = event[field] ?? absent;
    if (value === undefined || value === entity[slot]) return;
    ledger.fault(
      "reopen-conflict",
      event,
      id,
      `opens ${nameOf(row, id)} again with another ${field}`,
      `Repeat the ${field} of its first start, or open another id.`,
    );
    entity[slot] = value;
  });
}

/** A message's id is unique in the thread, whatever the message's role. */
export function checkMessageId(ledger: Ledger, row: CompiledRow, event: Fields, id: string): void {
  if (row.otherMessages.some((kind) => ledger.tables[kind]!.has(id))) {
    ledger.fault(
      "id-reused",
      event,
      id,
      `makes a message ${quoteId(id)}, but a message of another role has that id`,
      "Give each message of the thread an id of its own.",
    );
  }
}
