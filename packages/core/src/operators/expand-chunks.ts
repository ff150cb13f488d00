import type { MonoTypeOperatorFunction } from "rxjs";
import { OrderingError } from "../protocol/ordering-error.js";
import { quoteId } from "../protocol/quote-id.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { stateful, type Machine } from "../stream/stateful.js";
import { createChunkLanes, type ChunkEvent, type ChunkStream } from "./chunk-lanes.js";
import { describeChunkFault } from "./describe-chunk-fault.js";
import { contentOf, endOf, startOf } from "./explicit-events.js";

/** The options of {@link expandChunks}. */
export type ExpandChunksOptions = WarningOptions;

/**
 * Turns chunk events into the explicit ones: START, CONTENT or ARGS, END.
 *
 * ```text
 * source:          --S--m-------c--F-----|     m, c: TEXT_MESSAGE_CHUNK, the first with a messageId
 * expandChunks()
 * result:          --S--(st)----t--(eF)--|     s, t, e: TEXT_MESSAGE_START, _CONTENT, _END
 * ```
 *
 * A stream of chunks ends, by an END before the event, when its lane gets another event: a chunk of another
 * kind or id, an explicit message, call, state, step or CUSTOM event, the end of its subagent or of the run.
 * RAW and activities end nothing, nor do other lanes' events; a lane is the parent agent or one
 * `subagentRunId`. All other events pass as they are.
 *
 * A chunk's metadata stands on every event made of it, its rawEvent on the content; its timestamp is lost. A
 * chunk with neither delta, rawEvent nor metadata gives nothing unless it opens.
 *
 * Synchronous. Errors with an {@link OrderingError} whose rule is `chunk-without-id`, `chunk-conflict`,
 * `chunk-ambiguous` or `owner-mismatch`; nothing is made of the chunk at fault. Completes and errors with
 * the source: a stream that stops without a terminal event gets no END made up.
 *
 * @param options - `onWarning` is told of a chunk's properties that no chunk has (`unknown-property`); they
 * are dropped, warned of or not. After `parseEvents` there are none.
 *
 * @example
 * ```ts
 * import { from, map, toArray } from "rxjs";
 * import { events, expandChunks } from "@agrx/core";
 *
 * from([
 *   events.toolCallChunk({ toolCallId: "c", toolCallName: "roll_dice", delta: '{"sides"' }),
 *   events.toolCallChunk({ delta: ":20}" }),
 *   events.runFinished({ threadId: "t", runId: "r" }),
 * ])
 *   .pipe(
 *     expandChunks(),
 *     map((event) => event.type.replace("TOOL_CALL_", "")),
 *     toArray(),
 *   )
 *   .subscribe((types) => console.log(types.join(" "))); // START ARGS ARGS END RUN_FINISHED
 * ```
 */
export function expandChunks(options?: ExpandChunksOptions): MonoTypeOperatorFunction<AGUIEvent> {
  return stateful(() => createChunkExpansion(options));
}

function createChunkExpansion({ onWarning }: ExpandChunksOptions = {}): Machine<AGUIEvent, AGUIEvent> {
  let index = 0;
  let emit: (event: AGUIEvent) => void;

  const streams = new Set<ChunkStream>();

  const lanes = createChunkLanes({
    fault(fault, event) {
      const { rule, id } = fault;
      const open = [...streams].map(({ kind, id }) => ({ kind, id }));
      const message = `${event.type} (event ${index}) ${describeChunkFault(fault, event, open)}`;
      throw new OrderingError({ rule, event, index, id, open, message });
    },
    open(stream, chunk) {
      streams.add(stream);
      emit(startOf(stream, chunk));
      if (chunk.delta !== undefined || chunk.rawEvent !== undefined) emit(contentOf(stream, chunk));
    },
    continue(stream, chunk) {
      if (chunk.delta !== undefined || chunk.rawEvent !== undefined || chunk.metadata !== undefined) {
        emit(contentOf(stream, chunk));
      }
    },
    close(stream) {
      streams.delete(stream);
      emit(endOf(stream));
    },
  });

  function warnOfUnknown(chunk: ChunkEvent): void {
    for (const path of Object.keys(chunk)) {
      if (commonFields.has(path) || ownFields[chunk.type].has(path)) continue;
      const message = `${chunk.type} (event ${index}) has an unknown property ${quoteId(path)}; it is dropped.`;
      onWarning?.({ code: "unknown-property", message, index, path });
    }
  }

  return {
    push(event, next) {
      emit = next;
      if (!lanes.observe(event)) next(event);
      else if (onWarning) warnOfUnknown(event as ChunkEvent);
      index++;
    },
    end() {
      // What is open stays open: only the producer knows that it was whole.
    },
  };
}

const commonFields = new Set(["type", "timestamp", "rawEvent", "metadata", "subagentRunId", "delta"]);
const ownFields: Record<ChunkEvent["type"], ReadonlySet<string>> = {
  TEXT_MESSAGE_CHUNK: new Set(["messageId", "role", "name"]),
  TOOL_CALL_CHUNK: new Set(["toolCallId", "toolCallName", "parentMessageId"]),
  REASONING_MESSAGE_CHUNK: new Set(["messageId"]),
};
