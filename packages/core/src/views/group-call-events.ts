import { concatMap, defer, groupBy, map, type Observable, ReplaySubject, Subject } from "rxjs";
import { EventType, type AGUIEvent, type EventOf } from "../protocol/vocabulary.js";

/** The events of one tool call, from its start to its result. */
export type CallEvent = EventOf<"TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_END" | "TOOL_CALL_RESULT">;

/** A tool call and its events so far and to come, replayed to each subscriber. */
export interface CallEvents {
  readonly start: EventOf<"TOOL_CALL_START">;
  readonly events$: Observable<CallEvent>;
}

/** A call whose result may still come. */
interface OpenCall {
  readonly start: EventOf<"TOOL_CALL_START">;
  readonly done: Subject<void>;
  text: string;
}

/**
 * The events of each tool call that starts. They complete with the call's result, with the end of the run,
 * or when the call is opened again: then new ones begin, with what was sent before.
 */
export function groupCallEvents(source: Observable<AGUIEvent>): Observable<CallEvents> {
  return defer(() => {
    const open = new Map<string, OpenCall>();

    function finish(id: string): void {
      const call = open.get(id);
      open.delete(id);
      call?.done.next();
    }

    function* pass(event: AGUIEvent): Generator<CallEvent> {
      if (!("toolCallId" in event)) {
        if (/^RUN_/.test(event.type)) for (const id of open.keys()) finish(id);
        return;
      }
      const { toolCallId } = event as CallEvent;
      const call = open.get(toolCallId);
      if (event.type === EventType.TOOL_CALL_START) {
        finish(toolCallId);
        open.set(toolCallId, { start: event, done: new Subject(), text: "" });
        yield event;
        if (call?.text) yield* pass({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta: call.text });
      } else if (call !== undefined) {
        if (event.type === EventType.TOOL_CALL_ARGS) call.text += event.delta;
        yield event as CallEvent;
        if (event.type === EventType.TOOL_CALL_RESULT) finish(toolCallId);
      }
    }

    return source.pipe(
      concatMap(pass),
      groupBy((event) => event.toolCallId, {
        connector: () => new ReplaySubject(Infinity),
        duration: ({ key }) => open.get(key)!.done,
      }),
      map((events$) => ({ start: open.get(events$.key)!.start, events$ })),
    );
  });
}
