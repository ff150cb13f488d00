import { quoteId } from "@agrx/core";
import type { ProducerEntity } from "./entity.js";
import { tableOf, type Fields, type Ledger } from "./ledger.js";

/** Checks the outcome that a run finishes with. */
export function checkOutcome(ledger: Ledger, event: Fields): void {
  const outcome = event["outcome"] as Readonly<Record<string, unknown>> | null | undefined;
  if (outcome === undefined || outcome === null) return;
  const { type, interrupts, pendingToolCallIds: listed } = outcome;
  const invalid = (problem: string, remedy: string, id = event["runId"]) =>
    ledger.fault("invalid-outcome", event, id, problem, remedy);

  if (type === "interrupt") {
    if (!Array.isArray(interrupts) || interrupts.length === 0) {
      invalid("has the outcome interrupt without an interrupt", "Send what is asked, or another outcome.");
      return;
    }
    const ids = (interrupts as readonly ({ id?: unknown } | null)[]).map((interrupt) => interrupt?.id);
    const repeated = ids.find((id, at) => ids.indexOf(id) !== at);
    if (repeated !== undefined) {
      invalid(
        `has two interrupts with the id ${quoteId(repeated)}`,
        "Give each an id of its own: an answer names it.",
        repeated,
      );
    }
  } else if (ledger.producer && type === "success") {
    if (interrupts !== undefined)
      invalid("has interrupts, but succeeds", "Send them with the outcome interrupt.");
    if (!Array.isArray(listed) || listed.length === 0) return;
    const pending = [...tableOf(ledger, "toolCall")].flatMap(([id, call]) =>
      (call as ProducerEntity).pending === true ? [id] : [],
    );
    if (listed.length !== pending.length || pending.some((id, at) => id !== listed[at])) {
      invalid(
        "lists other pendingToolCallIds than the calls without a result, in the order of their starts",
        `List ${pending.slice(0, 5).map(quoteId).join(", ") || "none"}, or leave the list out.`,
      );
    }
  } else if (ledger.producer && type !== "cancelled") {
    invalid("has an outcome that the protocol does not have", "Send success, interrupt or cancelled.");
  }
}
