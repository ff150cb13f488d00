import { lifecycle, type LifecycleRow } from "../protocol/lifecycle.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";

const rows: { readonly [type: string]: LifecycleRow | undefined } = lifecycle;

/**
 * The id of the tool call that an event opens, continues, closes, answers or annotates; undefined for every
 * other event, chunks included: whose they are only lanes know.
 */
export function concernedCall(event: AGUIEvent): string | undefined {
  const row = rows[event.type];
  if (row?.id === undefined) return undefined;
  const fields = event as unknown as Readonly<Record<string, string>>;
  if (row.kind === "toolCall") return row.role === "chunk" ? undefined : fields[row.id];
  if (row.targets === undefined) return undefined;
  const target = fields[row.targets.field];
  const kinds = target === undefined ? undefined : row.targets.kinds[target];
  return kinds?.includes("toolCall") ? fields[row.id] : undefined;
}

/** Whether an event begins or ends a run. */
export function isRunEvent(event: AGUIEvent): boolean {
  return rows[event.type]?.kind === "run";
}
