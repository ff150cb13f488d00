import { lifecycle, type LifecycleRow } from "../protocol/lifecycle.js";
import { EventType, type AGUIEvent } from "../protocol/vocabulary.js";

type Row = Omit<LifecycleRow, "id" | "mints">;
const rows: { readonly [type: string]: Row | undefined } = lifecycle;

/**
 * The id of the tool call that an event opens, continues, closes, answers or annotates; undefined for every
 * other event, chunks included: whose they are only lanes know.
 */
export function concernedCall(event: AGUIEvent): string | undefined {
  const row = rows[event.type];
  if (row?.kind === "toolCall")
    return row.role === "chunk" ? undefined : (event as { toolCallId: string }).toolCallId;
  if (event.type !== EventType.REASONING_ENCRYPTED_VALUE) return undefined;
  return event.subtype === "tool-call" ? event.entityId : undefined;
}

/** Whether an event begins or ends a run. */
export function isRunEvent(event: AGUIEvent): boolean {
  return rows[event.type]?.kind === "run";
}
