import { defer, map, type Observable } from "rxjs";
import { presentFields } from "../protocol/present-fields.js";
import { EventType, type AGUIEvent } from "../protocol/vocabulary.js";
import { fromSource } from "../stream/from-source.js";
import { bracketed } from "./bracketed.js";
import { rowOf } from "./bracket-kinds.js";
import { ownedBy } from "./owned-by.js";
import type { EventSource, SubagentOptions } from "./run-context.js";
import type { RunSession } from "./run-session.js";

/** A subagent's work; see `RunContext.subagent`. */
export function subagentBuilder(
  run: RunSession,
  name: string,
  events: EventSource,
  options: SubagentOptions = {},
): Observable<AGUIEvent> {
  return defer(() => {
    const subagentRunId = options.subagentRunId ?? run.ids.nextSubagentId();
    const started = presentFields({
      type: EventType.SUBAGENT_STARTED,
      ...options,
      subagentRunId,
      name,
    });
    return bracketed(run, [started], () =>
      fromSource(events).pipe(map((event) => attributed(event, subagentRunId))),
    );
  });
}

/** An event as the subagent's own; one that says whose it is keeps that, a nested subagent gets its parent. */
function attributed(event: AGUIEvent, subagentRunId: string): AGUIEvent {
  const row = rowOf(event);
  if (row?.parent) return { [row.parent]: subagentRunId, ...event };
  // Events of whole runs and threads belong to no subagent.
  if (row === undefined || row.kind === "run" || row.restates) return event;
  return "subagentRunId" in event ? event : ownedBy(subagentRunId, event);
}
