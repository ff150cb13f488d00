import { defer, of, type Observable } from "rxjs";
import { EventType, type AGUIEvent, type EventOf } from "../protocol/vocabulary.js";
import { fromSource } from "../stream/from-source.js";
import { bracketed, fragmentEvents } from "./bracketed.js";
import type { MessageOptions, StepOptions } from "./open-handles.js";
import { presentFields } from "../protocol/present-fields.js";
import type { EventSource, FragmentSource } from "./run-context.js";
import type { RunSession } from "./run-session.js";
import type { Streamed } from "./streamed.js";

/** A text message or reasoning, whichever `describe` makes; see `RunContext.text`. */
export function messageBuilder(
  run: RunSession,
  describe: (messageId: string, options: MessageOptions) => Streamed,
  content: FragmentSource,
  options: MessageOptions = {},
): Observable<AGUIEvent> {
  return defer(() => {
    const message = describe(options.messageId ?? run.ids.nextMessageId(), options);
    return bracketed(run, message.openings, (bracket) => fragmentEvents(bracket, content, message.fragment));
  });
}

/** A step; see `RunContext.step`. */
export function stepBuilder(
  run: RunSession,
  name: string,
  events: EventSource,
  options?: StepOptions,
): Observable<AGUIEvent> {
  return bracketed(run, [stepStarted(name, options)], () => fromSource(events));
}

/** STEP_STARTED. */
export function stepStarted(
  stepName: string,
  { subagentRunId, metadata }: StepOptions = {},
): EventOf<"STEP_STARTED"> {
  return presentFields({ type: EventType.STEP_STARTED, stepName, subagentRunId, metadata });
}

/** One CUSTOM event; see `RunContext.custom`. */
export function customBuilder(name: string, value: unknown): Observable<AGUIEvent> {
  return of({ type: EventType.CUSTOM, name, value });
}
