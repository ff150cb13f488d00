import { EMPTY, first, mergeMap, type OperatorFunction } from "rxjs";
import { EventType, type AGUIEvent } from "../protocol/vocabulary.js";
import type { ToolCall } from "../tools/tool-call.js";
import { groupCallEvents } from "./group-call-events.js";
import { settleCall } from "./settle-call.js";

/**
 * Emits each tool call when it has ended, whole.
 *
 * ```text
 * source:              --S1--a1--S2--a2--E2--a1--E1--F|
 * completedToolCalls()
 * result:              ------------------2-------1----|
 * ```
 *
 * Synchronous, in the order in which calls end. A call that ended without being JSON is emitted too, with
 * status "incomplete" or "invalid": run none but "complete" ones. A call that was cut, by RUN_ERROR or by the
 * stream's end, is not emitted. Empty arguments are `{}`. Events have to be explicit (`expandChunks()`
 * before this); those of calls that never started are dropped with a warning `not-open`. A call that is
 * opened again after its end is emitted again, with all its arguments. Completes and errors with the source.
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { completedToolCalls, events } from "@agrx/core";
 *
 * from([
 *   events.toolCallStart({ toolCallId: "c1", toolCallName: "get_weather" }),
 *   events.toolCallArgs({ toolCallId: "c1", delta: '{"city":"Seo' }),
 *   events.toolCallArgs({ toolCallId: "c1", delta: 'ul"}' }),
 *   events.toolCallEnd({ toolCallId: "c1" }),
 * ])
 *   .pipe(completedToolCalls())
 *   .subscribe(({ name, args, status }) => console.log(name, args, status)); // get_weather { city: 'Seoul' } complete
 * ```
 */
export function completedToolCalls(): OperatorFunction<AGUIEvent, ToolCall> {
  return (source) =>
    source.pipe(
      groupCallEvents,
      mergeMap((events) =>
        events.events$.pipe(
          first(({ type }) => type === EventType.TOOL_CALL_END, null),
          mergeMap((end) => (end === null ? EMPTY : settleCall(events))),
        ),
      ),
    );
}
