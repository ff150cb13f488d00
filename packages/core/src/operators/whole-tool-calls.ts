import type { MonoTypeOperatorFunction } from "rxjs";
import { EventType, type AGUIEvent, type EventOf } from "../protocol/vocabulary.js";
import { stateful, type Machine } from "../stream/stateful.js";
import { concernedCall, isRunEvent } from "./concerned-call.js";
import { joinDeltas } from "./join-deltas.js";

/**
 * Holds each tool call back until it has ended, then emits it whole: START, one ARGS, END.
 *
 * ```text
 * source:          --a--b--1--2--1--T--A-----B-----|     a, b: STARTs; 1, 2: their ARGS; A, B: their ENDs
 * wholeToolCalls()
 * result:          -----------------T--(a1A)-(b2B)-|     T: any other event
 * ```
 *
 * Calls come out in the order in which they end. All other events pass at once, so what stood inside a call's
 * bracket now stands before it. What needs the call waits for its end: its TOOL_CALL_RESULT, an encrypted
 * value for it. A call without arguments has no ARGS. The one ARGS has the fragments' metadata merged per key
 * and the first one's timestamp; of several fragments the rawEvents are dropped.
 *
 * RUN_ERROR, and any other event that begins or ends a run, is preceded by the calls that wait, as far as they
 * have come and without an END: that would say that their arguments are whole. So are completion and error of
 * the source. An id may be opened again after its END.
 *
 * Synchronous. Judges nothing: fragments of a call that was never opened pass as they came. Chunk events pass
 * too; put {@link expandChunks} before. Memory: the calls that are open.
 *
 * @example
 * ```ts
 * import { from, map, toArray } from "rxjs";
 * import { wholeToolCalls } from "@agrx/core";
 * import { runMarbles, toRunMarbles } from "@agrx/core/testing";
 *
 * from(runMarbles(`call+a call+b call:a"{" call:b"{}" call:a"}" call-a call-b`))
 *   .pipe(wholeToolCalls(), toArray(), map(toRunMarbles))
 *   .subscribe((line) => console.log(line)); // call+a call:a"{}" call-a call+b call:b"{}" call-b
 * ```
 */
export function wholeToolCalls(): MonoTypeOperatorFunction<AGUIEvent> {
  return stateful(createWholeToolCalls);
}

type Emit = (event: AGUIEvent) => void;

interface WaitingCall {
  readonly start: AGUIEvent;
  readonly fragments: EventOf<"TOOL_CALL_ARGS">[];
  /** What needs the call: its results and encrypted values. */
  readonly after: AGUIEvent[];
}

function createWholeToolCalls(): Machine<AGUIEvent, AGUIEvent> {
  const waiting = new Map<string, WaitingCall>();

  function release(call: WaitingCall, end: AGUIEvent | undefined, emit: Emit): void {
    emit(call.start);
    if (call.fragments.length > 0) emit(joinDeltas(call.fragments));
    if (end) emit(end);
    call.after.forEach(emit);
  }

  function releaseAll(emit: Emit): void {
    const calls = [...waiting.values()];
    waiting.clear();
    for (const call of calls) release(call, undefined, emit);
  }

  return {
    push(event, emit) {
      if (isRunEvent(event)) releaseAll(emit);
      const id = concernedCall(event);
      const call = id === undefined ? undefined : waiting.get(id);
      if (id === undefined || (call === undefined && event.type !== EventType.TOOL_CALL_START)) {
        emit(event);
      } else if (call === undefined) {
        waiting.set(id, { start: event, fragments: [], after: [] });
      } else if (event.type === EventType.TOOL_CALL_ARGS) {
        call.fragments.push(event);
      } else if (event.type === EventType.TOOL_CALL_END) {
        waiting.delete(id);
        release(call, event, emit);
      } else if (event.type === EventType.TOOL_CALL_START) {
        emit(event);
      } else {
        call.after.push(event);
      }
    },
    end: releaseAll,
    fail: (_error, emit) => releaseAll(emit),
  };
}
