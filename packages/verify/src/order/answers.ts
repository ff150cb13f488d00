import { quoteId } from "@agrx/core";
import type { CompiledRow } from "./compile-rows.js";
import { anyone, ASSUMED, forgotten, type Owner, type ProducerEntity } from "./entity.js";
import { restateEntity } from "./history.js";
import { nameOf, tableOf, type Fields, type Ledger } from "./ledger.js";

/** Answers a call, and makes a message of its own. */
export function answer(ledger: Ledger, row: CompiledRow, event: Fields, id: string, tag: Owner): void {
  const entity = ledger.tables[row.kind]!.get(id);
  if (entity !== undefined && entity.slot >= 0) {
    ledger.fault(
      "out-of-order",
      event,
      id,
      `answers ${nameOf(row, id)}, which is open`,
      "End the call before its result.",
    );
    ledger.open.remove(entity, ASSUMED);
  }
  if (ledger.producer) checkAnswer(ledger, row, event, id, entity as ProducerEntity | undefined);
  if (row.mints < 0) return;
  const minted = event[row.row.mints!];
  if (typeof minted !== "string") return;
  if (ledger.producer) checkMinted(ledger, event, minted);
  restateEntity(ledger, ledger.tables[row.mints]!, minted, tag, true, undefined, "tool");
}

function checkAnswer(
  ledger: Ledger,
  row: CompiledRow,
  event: Fields,
  id: string,
  call: ProducerEntity | undefined,
): void {
  if (call === undefined) {
    if (ledger.earlierCalls.has(id)) return;
    ledger.fault(
      "unknown-id",
      event,
      id,
      `answers ${nameOf(row, id)}, which nobody made`,
      "Answer calls of the stream or of the input.",
    );
    ledger.tables[row.kind]!.set(id, forgotten);
  } else if (call.owner !== anyone) {
    call.pending = false;
    if (ledger.clientTools.has(call.first)) {
      ledger.warn(
        "frontend-tool-answered",
        event,
        id,
        `answers a call of ${quoteId(call.first)}, which the client offered and answers itself`,
      );
    }
  }
}

function checkMinted(ledger: Ledger, event: Fields, id: string): void {
  if (!(["text", "reasoningMessage", "activity"] as const).some((kind) => tableOf(ledger, kind).has(id)))
    return;
  ledger.fault(
    "id-reused",
    event,
    id,
    `makes a message ${quoteId(id)}, but another message has that id`,
    "Give each message of the thread an id of its own.",
  );
}
