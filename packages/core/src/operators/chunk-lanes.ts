import { lifecycle, type KeptField, type LifecycleRow } from "../protocol/lifecycle.js";
import type { AGUIEvent, EventOf, EventTypeName } from "../protocol/vocabulary.js";

type ChunkTypeName = {
  [T in EventTypeName]: (typeof lifecycle)[T]["role"] extends "chunk" ? T : never;
}[EventTypeName];

/**
 * An event in the chunked form: start, content and end in one.
 *
 * @experimental
 */
export type ChunkEvent = EventOf<ChunkTypeName>;

/**
 * The kinds of entity that have a chunked form.
 *
 * @experimental
 */
export type ChunkKind = (typeof lifecycle)[ChunkTypeName]["kind"];

/**
 * What a lane is assembling from chunks.
 *
 * @experimental
 */
export interface ChunkStream {
  readonly kind: ChunkKind;
  readonly id: string;
  /** The opener's tag; undefined for the parent agent. */
  readonly subagentRunId: string | undefined;
  /** The chunk that has established what later ones may repeat: the first, or one that was told to differ. */
  readonly opener: ChunkEvent;
}

/**
 * A chunk that breaks a rule, as data; `describeChunkFault` has the words.
 *
 * @experimental
 */
export interface ChunkFault {
  readonly rule: "chunk-without-id" | "chunk-conflict" | "chunk-ambiguous" | "owner-mismatch";
  /** Of the entity concerned, where there is one. */
  readonly id: string | undefined;
  /** The field that is missing or differs. */
  readonly field: string;
  /** The stream that the chunk would continue, or that its lane holds instead. */
  readonly stream: ChunkStream | undefined;
}

/**
 * What {@link createChunkLanes} tells, in the order in which the explicit events would stand.
 *
 * @experimental
 */
export interface ChunkLanesListener {
  /**
   * The chunk breaks a rule. Told before anything else of its event; a listener that throws here stops the
   * lanes with nothing else said. One that returns goes on with the likeliest reading of the stream.
   */
  fault(fault: ChunkFault, chunk: ChunkEvent): void;
  /** A lane's stream is over: its end event stands here, before the event observed. */
  close(stream: ChunkStream): void;
  /** The chunk opens a stream: its start event stands here, then what else the chunk carries. */
  open(stream: ChunkStream, chunk: ChunkEvent): void;
  /** The chunk continues an open stream. */
  continue(stream: ChunkStream, chunk: ChunkEvent): void;
}

/**
 * Follows which chunk belongs to which message or call.
 *
 * @experimental
 */
export interface ChunkLanes {
  /** How many streams are open. At 0 only chunks matter to {@link ChunkLanes.observe}. */
  readonly size: number;
  /** Takes the next event; gives whether it is a chunk, which the explicit events told of replace. */
  observe(event: AGUIEvent): boolean;
}

/** A stream as the lanes keep it; without an id, its opener never came and nobody is told of it. */
type LaneStream = {
  -readonly [K in keyof ChunkStream]: K extends "id" ? string | undefined : ChunkStream[K];
};

/** The fields of a chunk, whatever its type. */
type AnyFields = Readonly<Record<string, string | undefined>>;

// Without a prototype, so that a type "constructor" is unknown; it is also looked up faster.
const rows = Object.assign(Object.create(null) as object, lifecycle) as {
  readonly [type: string]: LifecycleRow | undefined;
};
/** What an opener of a kind establishes, and a continuation may repeat with the same value. */
const established = Object.fromEntries(
  Object.values<LifecycleRow>(lifecycle).flatMap(({ role, kind, keeps = [] }) =>
    role === "opens" ? [[kind, keeps]] : [],
  ),
) as Readonly<Record<string, readonly KeptField[]>>;

/**
 * The machine behind chunk expansion: decides which lane a chunk belongs to, and what ends a lane's stream.
 *
 * A lane is one owner, the parent agent or one `subagentRunId`, and holds at most one stream of chunks. The
 * machine allocates no events: {@link expandChunks} makes them of what the listener is told, a verifier
 * only keeps the books. What an event does to lanes is in the {@link lifecycle} table.
 *
 * After a fault it goes on so that one fault is told once: chunks of a stream whose opener never came are
 * taken together in silence, and a value or owner that differs from the opener's is the one expected next.
 *
 * Source: AG-UI specification 1.1, basic/patterns/streaming#the-chunked-form.
 *
 * @experimental
 *
 * @example
 * ```ts
 * import { createChunkLanes, events } from "@agrx/core";
 *
 * const told: string[] = [];
 * const lanes = createChunkLanes({
 *   open: (stream) => told.push(`open ${stream.id}`),
 *   continue: (stream) => told.push(`continue ${stream.id}`),
 *   close: (stream) => told.push(`close ${stream.id}`),
 *   fault: (fault) => told.push(fault.rule),
 * });
 * lanes.observe(events.textMessageChunk({ messageId: "m", delta: "Hel" }));
 * lanes.observe(events.textMessageChunk({ delta: "lo" }));
 * lanes.observe(events.custom({ name: "x", value: 1 }));
 * lanes.observe(events.textMessageChunk({ delta: "?" }));
 * console.log(told.join(", ")); // open m, continue m, close m, chunk-without-id
 * ```
 */
export function createChunkLanes(listener: ChunkLanesListener): ChunkLanes {
  const lanes = new Map<string | undefined, LaneStream>();
  const nameless = new Set<string>();

  function closeLane(owner: string | undefined): void {
    const stream = lanes.get(owner);
    lanes.delete(owner);
    if (isKnown(stream)) listener.close(stream);
  }

  function observeChunk(chunk: ChunkEvent, kind: ChunkKind, idField: string): void {
    const fields = chunk as unknown as AnyFields;
    const id = fields[idField];
    const tag = chunk.subagentRunId ?? undefined;
    const own = lanes.get(tag);
    let stream = own;
    const fault = (rule: ChunkFault["rule"], field: string, about = id) => {
      listener.fault({ rule, id: about, field, stream: isKnown(stream) ? stream : undefined }, chunk);
    };

    if (own?.kind !== kind || (id !== undefined && id !== own.id)) {
      let candidates = 0;
      for (const other of id !== undefined || tag === undefined ? lanes.values() : []) {
        if (other.kind !== kind || !isKnown(other) || (id !== undefined && id !== other.id)) continue;
        candidates++;
        stream = other;
      }
      if (candidates !== 1) {
        stream = own;
        if (id === undefined) fault(candidates > 1 ? "chunk-ambiguous" : "chunk-without-id", idField);
        // After chunks whose opener never came, the name is not missed another time.
        else if (
          fields["toolCallName"] === undefined &&
          kind === "toolCall" &&
          (own?.kind !== kind || isKnown(own))
        ) {
          if (!nameless.has(id)) fault("chunk-without-id", "toolCallName");
          nameless.add(id);
          // Perhaps the id is wrong: then the call that the lane holds goes on.
          if (own?.kind === kind) return;
        }
        closeLane(tag);
        stream = { kind, id, subagentRunId: chunk.subagentRunId, opener: chunk };
        lanes.set(tag, stream);
        if (isKnown(stream)) listener.open(stream, chunk);
        return;
      }
      if (tag !== undefined) {
        fault("owner-mismatch", "subagentRunId");
        lanes.delete(stream!.subagentRunId ?? undefined);
        closeLane(tag);
        stream!.subagentRunId = tag;
        lanes.set(tag, stream!);
      }
    }
    if (!isKnown(stream)) return;
    for (const { field, absent } of established[kind]!) {
      const before = (stream.opener as unknown as AnyFields)[field] ?? absent;
      if (fields[field] === undefined || fields[field] === before) continue;
      // A call keeps no name only when its opener was at fault for that, and was told so.
      if (field !== "toolCallName" || before !== undefined) fault("chunk-conflict", field, stream.id);
      (stream as LaneStream).opener = { ...stream.opener, [field]: fields[field] };
    }
    listener.continue(stream, chunk);
  }

  return {
    get size() {
      return lanes.size;
    },

    observe(event) {
      const row = rows[event.type];
      if (row?.role === "chunk") {
        observeChunk(event as ChunkEvent, row.kind as ChunkKind, row.id!);
        return true;
      }
      if (lanes.size === 0) return false;
      const owner = (event as { readonly subagentRunId?: string }).subagentRunId ?? undefined;
      if (row?.lanes === "all") for (const each of lanes.keys()) closeLane(each);
      // An event that is about a subagent and names none is malformed, not the parent's.
      else if (row && !row.lanes && (owner !== undefined || row.kind !== "subagent")) closeLane(owner);
      return false;
    },
  };
}

function isKnown(stream: LaneStream | undefined): stream is LaneStream & ChunkStream {
  return stream?.id !== undefined;
}
