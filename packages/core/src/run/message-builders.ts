import { defer, from, map, of, type Observable } from "rxjs";
import { EventType, type AGUIEvent } from "../protocol/vocabulary.js";
import { fromAsyncIterable } from "../stream/from-async-iterable.js";
import { bracketed } from "./bracketed.js";
import { isAsyncIterable } from "./event-source.js";
import type { MessageOptions, ReasoningOptions, StepOptions } from "./open-handles.js";
import { ownedBy, reasoningStarts, stepStarted, textStart } from "./own-events.js";
import type { EventSource, FragmentSource } from "./run-context.js";
import type { RunSession } from "./run-session.js";
import { toFragments } from "./to-fragments.js";

/** A text message; see `RunContext.text`. */
export function textBuilder(
  run: RunSession,
  content: FragmentSource,
  options: MessageOptions = {},
): Observable<AGUIEvent> {
  return defer(() => {
    const messageId = options.messageId ?? run.ids.nextMessageId();
    return bracketed(run, textStart(messageId, options), (bracket) =>
      toFragments(content).pipe(
        map((delta): AGUIEvent => {
          bracket.sent += 1;
          return ownedBy(options.subagentRunId, { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta });
        }),
      ),
    );
  });
}

/** Reasoning; see `RunContext.reasoning`. */
export function reasoningBuilder(
  run: RunSession,
  content: FragmentSource,
  options: ReasoningOptions = {},
): Observable<AGUIEvent> {
  return defer(() => {
    const messageId = options.messageId ?? run.ids.nextMessageId();
    const [span, message] = reasoningStarts(messageId, options);
    return bracketed(run, span, () =>
      bracketed(run, message, (bracket) =>
        toFragments(content).pipe(
          map((delta): AGUIEvent => {
            bracket.sent += 1;
            const type = EventType.REASONING_MESSAGE_CONTENT;
            return ownedBy(options.subagentRunId, { type, messageId, delta });
          }),
        ),
      ),
    );
  });
}

/** A step; see `RunContext.step`. */
export function stepBuilder(
  run: RunSession,
  name: string,
  events: EventSource,
  options: StepOptions = {},
): Observable<AGUIEvent> {
  return bracketed(run, stepStarted(name, options), () => fromEvents(events));
}

/** One CUSTOM event; see `RunContext.custom`. */
export function customBuilder(name: string, value: unknown): Observable<AGUIEvent> {
  return of({ type: EventType.CUSTOM, name, value });
}

/** Events of a source; unsubscribing ends an async iterable at once. */
export function fromEvents(events: EventSource): Observable<AGUIEvent> {
  return isAsyncIterable(events) ? fromAsyncIterable(events) : from(events);
}
