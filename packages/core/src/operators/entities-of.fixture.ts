import type { AGUIEvent } from "../index.js";

/** What a run says of each message and call in the end: a plain fold, to compare runs by. */
export function entitiesOf(run: readonly AGUIEvent[]): Record<string, Record<string, unknown>> {
  const entities: Record<string, Record<string, unknown>> = {};
  for (const event of run) {
    const [, kind, part] =
      /^(TEXT_MESSAGE|TOOL_CALL|REASONING_MESSAGE)_(START|CONTENT|ARGS|END)$/.exec(event.type) ?? [];
    if (kind === undefined) continue;
    const {
      type: _,
      delta,
      metadata,
      rawEvent,
      timestamp: __,
      ...fields
    } = event as unknown as Record<string, unknown>;
    const key = `${kind} ${String(fields["messageId"] ?? fields["toolCallId"])}`;
    const entity = (entities[key] ??= { text: "", raw: [], metadata: {}, brackets: [], ...fields });
    if (typeof delta === "string") entity["text"] = `${String(entity["text"])}${delta}`;
    if (metadata) entity["metadata"] = { ...(entity["metadata"] as object), ...metadata };
    if (rawEvent) entity["raw"] = [...(entity["raw"] as unknown[]), rawEvent];
    if (part === "START" || part === "END") entity["brackets"] = [...(entity["brackets"] as string[]), part];
  }
  return entities;
}
