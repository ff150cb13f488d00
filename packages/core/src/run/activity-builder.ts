import { defer, EMPTY, from, mergeMap, of, type Observable } from "rxjs";
import { EventType, type AGUIEvent, type EventOf } from "../protocol/vocabulary.js";
import { createStatePublisher } from "../state/state-publisher.js";
import { fromAsyncIterable } from "../stream/from-async-iterable.js";
import { isAsyncIterable, isEventSource } from "../stream/event-source.js";
import { presentFields } from "./present-fields.js";
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

    return contentsOf(content).pipe(
      mergeMap((next) => {
        const change = publisher.set(next);
        if (change?.type === EventType.STATE_DELTA) {
          const type = EventType.ACTIVITY_DELTA;
          return of(presentFields<EventOf<"ACTIVITY_DELTA">>({ type, ...target, patch: change.delta }));
        }
        if (change === undefined) return EMPTY;
        const first = {
          type: EventType.ACTIVITY_SNAPSHOT,
          ...target,
          content: next,
          replace,
          metadata,
        } as const;
        replace = undefined; // a later snapshot is news: it replaces
        return of(presentFields<EventOf<"ACTIVITY_SNAPSHOT">>(first));
      }),
    );
  });
}

function contentsOf(
  content: ActivityContent | Observable<ActivityContent> | AsyncIterable<ActivityContent>,
): Observable<ActivityContent> {
  if (isAsyncIterable(content)) return fromAsyncIterable<ActivityContent>(content);
  if (isEventSource(content)) return from(content as Observable<ActivityContent>);
  return of(content as ActivityContent);
}
