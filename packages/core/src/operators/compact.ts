import type { MonoTypeOperatorFunction } from "rxjs";
import { lifecycle, type LifecycleRow } from "../protocol/lifecycle.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { stateful, type Machine } from "../stream/stateful.js";
import { createChunkLanes, type ChunkStream } from "./chunk-lanes.js";
import { joinDeltas } from "./join-deltas.js";

/**
 * Joins adjacent deltas of the same message, call or reasoning message into one event.
 *
 * ```text
 * source:     --S--t--t--t--E--a--b--a--|     t: text of m, a and b: arguments of two calls
 * compact()
 * result:     --S-----------(tE)--a--b--(a|)
 * ```
 *
 * Only neighbours are joined, so nothing changes its place: any other event sends first what was held back.
 * Chunk events are joined too, with the next chunk of the same stream. The views of a compacted run are those
 * of the run; what is lost is where its deltas were cut.
 *
 * Metadata is merged per key, the last value wins, as views merge it; the timestamp is the first delta's.
 * A delta with a rawEvent is joined with nothing, since the payload belongs to it alone: drop rawEvent
 * before for more. A delta alone passes as the same object.
 *
 * The last delta is held back until the next event comes, so this is for recordings, histories and slow
 * transports; for a screen take `batchEvents`. Sends what is held when the source completes, and before its
 * error. Judges nothing: what is illegal passes as it came.
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { compact, events, ofType } from "@agrx/core";
 *
 * from([
 *   events.toolCallArgs({ toolCallId: "c", delta: '{"sides"' }),
 *   events.toolCallArgs({ toolCallId: "c", delta: ":20}" }),
 *   events.toolCallEnd({ toolCallId: "c" }),
 * ])
 *   .pipe(compact(), ofType("TOOL_CALL_ARGS"))
 *   .subscribe(({ delta }) => console.log(delta)); // {"sides":20}
 * ```
 */
export function compact(): MonoTypeOperatorFunction<AGUIEvent> {
  return stateful(createCompaction);
}

/** The fields that decide over joining, whatever the event's type. */
type AnyDelta = AGUIEvent & {
  readonly [field in "messageId" | "toolCallId" | "delta" | "subagentRunId"]?: string;
};

const rows: { readonly [type: string]: LifecycleRow | undefined } = lifecycle;

function createCompaction(): Machine<AGUIEvent, AGUIEvent> {
  let held: AnyDelta[] = [];
  let heldSubject: ChunkStream | string | undefined;
  let heldOwner: string | undefined;

  // What the lanes say of a chunk: the stream it belongs to, unless it breaks a rule.
  let stream: ChunkStream | undefined;
  let atFault = false;
  const belongs = (to: ChunkStream) => {
    stream = to;
  };
  const lanes = createChunkLanes({
    open: belongs,
    continue: belongs,
    close: () => undefined,
    fault() {
      atFault = true;
    },
  });

  /** What an event's delta adds to: a stream of chunks, or the id of something explicit; nothing else is joined. */
  function subjectOf(event: AnyDelta): ChunkStream | string | undefined {
    stream = undefined;
    atFault = false;
    const isChunk = lanes.observe(event);
    const row = rows[event.type];
    if (atFault || event.rawEvent !== undefined || event.metadata === null) return undefined;
    if (isChunk) return event.delta === undefined || typeof event.delta === "string" ? stream : undefined;
    if (row?.role !== "continues" || row.id === undefined || typeof event.delta !== "string")
      return undefined;
    return event[row.id as "messageId" | "toolCallId"];
  }

  function flush(emit: (event: AGUIEvent) => void): void {
    if (held.length === 0) return;
    const joined = joinDeltas(held);
    held = [];
    emit(joined);
  }

  return {
    push(event: AnyDelta, emit) {
      const subject = subjectOf(event);
      const owner = event.subagentRunId;
      const isNext =
        subject === heldSubject &&
        event.type === held[0]?.type &&
        (owner === heldOwner || owner === undefined || heldOwner === undefined);
      if (!isNext) {
        flush(emit);
        heldSubject = subject;
        heldOwner = undefined;
      }
      heldOwner ??= owner;
      if (subject === undefined) emit(event);
      else held.push(event);
    },
    end: flush,
    fail: (_error, emit) => flush(emit),
  };
}
