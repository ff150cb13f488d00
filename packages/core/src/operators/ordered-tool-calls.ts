import type { MonoTypeOperatorFunction } from "rxjs";
import { EventType, type AGUIEvent } from "../protocol/vocabulary.js";
import { stateful, type Machine } from "../stream/stateful.js";
import { concernedCall, isRunEvent } from "./concerned-call.js";

/**
 * Emits tool calls one after the other: the first streams live, the next wait their turn.
 *
 * ```text
 * source:            --a--b--1--2--1--T--A------2--B--|     a, b: STARTs; 1, 2: their ARGS; A, B: their ENDs
 * orderedToolCalls()
 * result:            --a-----1-----1--T--(Ab2)--2--B--|     T: any other event
 * ```
 *
 * Calls come out in the order in which they start; a call's own events keep their order and are neither
 * joined nor changed. When the call that streams ends, the next one is caught up at once and streams on. All
 * other events pass at once. What needs a call waits for its end: its TOOL_CALL_RESULT, and, while the call
 * waits, an encrypted value for it.
 *
 * RUN_ERROR, and any other event that begins or ends a run, is preceded by the calls that wait, one after the
 * other, as far as they have come and without an END that was not there. So are completion and error of the
 * source. An id may be opened again after its END, and waits its turn again.
 *
 * Synchronous. Judges nothing: fragments of a call that was never opened pass as they came. Chunk events pass
 * too; put {@link expandChunks} before. Memory: the events of the calls that wait.
 *
 * @example
 * ```ts
 * import { from, map, toArray } from "rxjs";
 * import { orderedToolCalls } from "@agrx/core";
 * import { runMarbles, toRunMarbles } from "@agrx/core/testing";
 *
 * from(runMarbles(`call+a call+b call:a"{" call:b"{}" call:a"}" call-a call-b`))
 *   .pipe(orderedToolCalls(), toArray(), map(toRunMarbles))
 *   .subscribe((line) => console.log(line)); // call+a call:a"{" call:a"}" call-a call+b call:b"{}" call-b
 * ```
 */
export function orderedToolCalls(): MonoTypeOperatorFunction<AGUIEvent> {
  return stateful(createOrderedToolCalls);
}

type Emit = (event: AGUIEvent) => void;

/** One bracket of a call: from a START to its END. */
interface Bracket {
  readonly id: string;
  /** What came while it waited its turn, END included. */
  waiting: AGUIEvent[];
  /** What needs the call to have ended. */
  readonly after: AGUIEvent[];
  ended: boolean;
  next: Bracket | undefined;
}

function createOrderedToolCalls(): Machine<AGUIEvent, AGUIEvent> {
  /** The brackets whose last event is not out yet: the first streams, the rest wait. */
  let first: Bracket | undefined;
  let last: Bracket | undefined;
  /** The newest of them by id. */
  const newest = new Map<string, Bracket>();

  function open(id: string, start: AGUIEvent, emit: Emit): void {
    const bracket: Bracket = { id, waiting: [], after: [], ended: false, next: undefined };
    newest.set(id, bracket);
    if (first === undefined || last === undefined) {
      first = bracket;
      emit(start);
    } else {
      last.next = bracket;
      bracket.waiting.push(start);
    }
    last = bracket;
  }

  function stream(bracket: Bracket, event: AGUIEvent, emit: Emit): void {
    if (event.type === EventType.TOOL_CALL_RESULT) {
      bracket.after.push(event);
      return;
    }
    emit(event);
    if (event.type !== EventType.TOOL_CALL_END) return;
    advance(bracket, emit);
    while (first !== undefined) {
      first.waiting.forEach(emit);
      first.waiting = [];
      if (!first.ended) return;
      advance(first, emit);
    }
  }

  /** Takes the first bracket out: all its events are out but those that waited for its end. */
  function advance(bracket: Bracket, emit: Emit): void {
    bracket.after.forEach(emit);
    if (newest.get(bracket.id) === bracket) newest.delete(bracket.id);
    first = bracket.next;
    if (first === undefined) last = undefined;
  }

  function wait(bracket: Bracket, event: AGUIEvent): void {
    if (bracket.ended || event.type === EventType.TOOL_CALL_RESULT) bracket.after.push(event);
    else bracket.waiting.push(event);
    if (event.type === EventType.TOOL_CALL_END) bracket.ended = true;
  }

  function releaseAll(emit: Emit): void {
    while (first !== undefined) {
      first.waiting.forEach(emit);
      advance(first, emit);
    }
  }

  return {
    push(event, emit) {
      if (event.type === EventType.TOOL_CALL_ARGS) {
        // The row's answer, known beforehand: nearly all events of a call are fragments.
        const bracket = newest.get(event.toolCallId);
        if (bracket === undefined || bracket === first) emit(event);
        else wait(bracket, event);
        return;
      }
      if (isRunEvent(event)) releaseAll(emit);
      const id = concernedCall(event);
      const bracket = id === undefined ? undefined : newest.get(id);
      const opens = event.type === EventType.TOOL_CALL_START && (bracket === undefined || bracket.ended);
      if (id !== undefined && opens) open(id, event, emit);
      else if (bracket === undefined) emit(event);
      else if (bracket === first) stream(bracket, event, emit);
      else wait(bracket, event);
    },
    end: releaseAll,
    fail: (_error, emit) => releaseAll(emit),
  };
}
