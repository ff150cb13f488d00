import {
  concat,
  defer,
  distinctUntilChanged,
  filter,
  map,
  type Observable,
  type OperatorFunction,
  take,
} from "rxjs";
import { createPartialReader } from "../json/partial-reader.js";
import { EventType, type AGUIEvent, type ContentPart } from "../protocol/vocabulary.js";
import type { ToolCall } from "../tools/tool-call.js";
import { groupCallEvents, type CallEvents } from "./group-call-events.js";
import { isCustom, settleArguments } from "./settle-arguments.js";
import { settleCall, untilEnd } from "./settle-call.js";

/** One tool call of a stream, as {@link groupToolCalls} emits it. A late subscriber misses nothing. */
export interface GroupedToolCall<Args = unknown> {
  readonly id: string;
  readonly name: string;
  /** The arguments' fragments as they were sent; completes when the call ends or was cut. */
  readonly args$: Observable<string>;
  /**
   * The arguments' value so far, lagging as `partialJson` does; the last one equals the `args` of `call$`.
   * What is no JSON is no error here: see the call's status.
   */
  readonly partial$: Observable<Args>;
  /** The call when it has ended, or with status "incomplete" when it was cut; then completes. */
  readonly call$: Observable<ToolCall<Args>>;
  /** What the call was answered with; completes without a value when no answer came before the run ended. */
  readonly result$: Observable<string | readonly ContentPart[]>;
}

/**
 * Splits a stream of events by tool call: emits one view of each call when it starts.
 *
 * ```text
 * source:          --S1--a1--S2--a2--a1--E1--E2--R1--F|
 * groupToolCalls()
 * result:          --1-------2------------------------|
 * 1.args$:           ----a-----------a---|
 * 1.call$:           --------------------(c|)
 * 1.result$:         ----------------------------(r|)
 * ```
 *
 * Synchronous. Whoever subscribes late to a part of a call gets all of it from its beginning; each
 * subscriber reads for itself. A call is kept until its result comes or its run ends, then it is freed here
 * and lives on in the views handed out. Events have to be explicit (`expandChunks()` before this); those of
 * calls that never started are dropped with a warning `not-open`. A call that is opened again after its end
 * is emitted again, its earlier arguments first.
 *
 * Completes with the source, and what was open then counts as cut; a source error goes to the result and to
 * all open parts. When its subscriber leaves while parts of calls are subscribed to, the source is left
 * with the last of them.
 *
 * @example
 * ```ts
 * import { from, mergeMap } from "rxjs";
 * import { events, groupToolCalls } from "@agrx/core";
 *
 * from([
 *   events.toolCallStart({ toolCallId: "c1", toolCallName: "get_weather" }),
 *   events.toolCallArgs({ toolCallId: "c1", delta: '{"city":"Seo' }),
 *   events.toolCallArgs({ toolCallId: "c1", delta: 'ul"}' }),
 *   events.toolCallEnd({ toolCallId: "c1" }),
 * ])
 *   .pipe(
 *     groupToolCalls(),
 *     mergeMap((call) => call.partial$),
 *   )
 *   .subscribe((args) => console.log(args)); // { city: 'Seo' }, { city: 'Seoul' }
 * ```
 */
export function groupToolCalls(): OperatorFunction<AGUIEvent, GroupedToolCall> {
  return (source) => source.pipe(groupCallEvents, map(toGroupedToolCall));
}

function toGroupedToolCall(events: CallEvents): GroupedToolCall {
  const { start, events$ } = events;
  return {
    id: start.toolCallId,
    name: start.toolCallName,
    args$: untilEnd(events).pipe(
      filter((event) => event.type === EventType.TOOL_CALL_ARGS),
      map(({ delta }) => delta),
    ),
    partial$: partialArguments(events),
    call$: settleCall(events),
    result$: events$.pipe(
      filter((event) => event.type === EventType.TOOL_CALL_RESULT),
      map(({ content }) => content),
      take(1),
    ),
  };
}

function partialArguments(events: CallEvents): Observable<unknown> {
  return defer(() => {
    const { json, push } = createPartialReader();
    const custom = isCustom(events.start.metadata);
    const last = defer(() => [settleArguments(json.raw, events.start.metadata, json).args]);
    const soFar = untilEnd(events).pipe(
      filter((event) => event.type === EventType.TOOL_CALL_ARGS && (push(event.delta) || custom)),
      map(() => (custom ? json.raw : json.value)),
    );
    return concat(soFar, last).pipe(
      filter((value) => value !== undefined),
      distinctUntilChanged(),
    );
  });
}
