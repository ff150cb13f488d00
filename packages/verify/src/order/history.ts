import type { EntityKind } from "@agrx/core";
import { assumed, CLOSED, forgotten, type Entity, type Owner, type ProducerEntity } from "./entity.js";
import { tableOf, type Ledger } from "./ledger.js";

const kindOf = (role: unknown): EntityKind =>
  role === "reasoning" ? "reasoningMessage" : role === "activity" ? "activity" : "text";

interface HistoryMessage {
  readonly id?: unknown;
  readonly role?: unknown;
  readonly name?: unknown;
  readonly subagentRunId?: string;
  readonly toolCalls?: unknown;
}

interface HistoryCall {
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown };
}

/**
 * Takes over the owners of messages that were sent whole, and of their calls.
 *
 * @param authoritative - whether they replace what the stream has said before
 */
export function restateMessages(ledger: Ledger, messages: unknown, authoritative: boolean): void {
  if (!Array.isArray(messages)) return;
  for (const message of messages as readonly (HistoryMessage | null)[]) {
    if (typeof message?.id !== "string") continue;
    const { id, role, name, subagentRunId: owner, toolCalls } = message;
    const kind = kindOf(role);
    restateEntity(ledger, tableOf(ledger, kind), id, owner, authoritative, name, role);
    // A span has the owner of the reasoning message with its id.
    if (kind === "reasoningMessage" && tableOf(ledger, "reasoning").has(id)) {
      restateEntity(ledger, tableOf(ledger, "reasoning"), id, owner, authoritative, undefined, undefined);
    }
    if (!Array.isArray(toolCalls)) continue;
    const calls = tableOf(ledger, "toolCall");
    for (const call of toolCalls as readonly (HistoryCall | null)[]) {
      if (typeof call?.id !== "string") continue;
      restateEntity(ledger, calls, call.id, owner, authoritative, call.function?.name, id);
    }
  }
}

/** Notes an entity that came whole. */
export function restateEntity(
  ledger: Ledger,
  entities: Map<string, Entity>,
  id: string,
  owner: Owner,
  authoritative: boolean,
  first: unknown,
  second: unknown,
): void {
  const entity = entities.get(id);
  if (entity === undefined || entity === assumed || entity === forgotten) {
    entities.set(id, ledger.producer ? wholeEntity(owner, first, second) : { owner, slot: CLOSED });
  } else if (authoritative) entity.owner = owner;
}

const wholeEntity = (owner: Owner, first: unknown, second: unknown): ProducerEntity => ({
  owner,
  slot: CLOSED,
  first,
  second,
  pending: undefined,
});
