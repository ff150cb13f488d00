import { defer, mergeMap, of, type Observable } from "rxjs";
import { EventType, type AGUIEvent } from "../protocol/vocabulary.js";
import { createStatePublisher } from "../state/state-publisher.js";
import { isEventSource } from "../stream/event-source.js";
import { fromSource } from "../stream/from-source.js";
import { presentFields } from "../protocol/present-fields.js";
import type { ActivityContent, ActivityOptions } from "./run-context.js";
import type { RunSession } from "./run-session.js";

/** An activity; see `RunContext.activity`. */
export function activityBuilder(
  run: RunSession,
  activityType: string,
  content: ActivityContent | Observable<ActivityContent> | AsyncIterable<ActivityContent>,
  options: ActivityOptions = {},
): Observable<AGUIEvent> {
  return defer(() => {
    const { messageId = run.ids.nextMessageId(), subagentRunId, metadata } = options;
    const target = { messageId, activityType, subagentRunId };
    const publisher = createStatePublisher<ActivityContent | null>(null);
    let replace = options.replace;

    const contents$ = isEventSource(content)
      ? fromSource(content as Observable<ActivityContent>)
      : of(content as ActivityContent);
    return contents$.pipe(
      mergeMap((next): AGUIEvent[] => {
        const change = publisher.set(next);
        if (change === undefined) return [];
        if (change.type === EventType.STATE_DELTA) {
          return [presentFields({ type: EventType.ACTIVITY_DELTA, ...target, patch: change.delta })];
        }
        const type = EventType.ACTIVITY_SNAPSHOT;
        const snapshot = presentFields({ type, ...target, content: next, replace, metadata });
        replace = undefined; // a later snapshot is news: it replaces
        return [snapshot];
      }),
    );
  });
}
