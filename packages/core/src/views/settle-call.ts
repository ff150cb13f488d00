import { map, type Observable, takeWhile, toArray } from "rxjs";
import { EventType, type Metadata } from "../protocol/vocabulary.js";
import type { ToolCall } from "../tools/tool-call.js";
import type { CallEvent, CallEvents } from "./group-call-events.js";
import { ranBy, settleArguments } from "./settle-arguments.js";

/** The events of a call up to its end. */
export const untilEnd = ({ events$ }: CallEvents): Observable<CallEvent> =>
  events$.pipe(takeWhile(({ type }) => type !== EventType.TOOL_CALL_END, true));

/** The call as it is when it has ended or was cut. */
export function settleCall(events: CallEvents): Observable<ToolCall> {
  const { toolCallId: id, toolCallName: name, parentMessageId } = events.start;
  return untilEnd(events).pipe(
    toArray(),
    map((all) => {
      const text = all.map((event) => ("delta" in event ? event.delta : "")).join("");
      const metadata = Object.assign({}, ...all.map((event) => event.metadata)) as Metadata;
      const isCut = all.at(-1)?.type !== EventType.TOOL_CALL_END;
      return {
        id,
        name,
        arguments: text,
        ...settleArguments(text, metadata),
        ...(isCut && { status: "incomplete" as const }),
        ...(parentMessageId !== undefined && { parentMessageId }),
        ...ranBy(metadata),
      };
    }),
  );
}
