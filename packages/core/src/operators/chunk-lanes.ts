import { lifecycle, type LifecycleRow } from "../protocol/lifecycle.js";
import type { OpenEntity } from "../protocol/ordering-error.js";
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
 * What a lane is assembling from chunks: the entity, its owner, and what its opener established.
 *
 * @experimental
 */
export interface ChunkStream {
  readonly kind: ChunkKind;
  readonly id: string;
  /** The opener's tag; undefined for the parent agent. */
  readonly subagentRunId: string | undefined;
  /** Of a text message: the opener's role, "assistant" when it gave none. */
  readonly role: string | undefined;
  readonly name: string | undefined;
  readonly toolCallName: string | undefined;
  readonly parentMessageId: string | undefined;
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
  /** The streams that are open, in the order in which they were opened. */
  open(): OpenEntity[];
  /** Takes the next event; gives whether it is a chunk, which the explicit events told of replace. */
  observe(event: AGUIEvent): boolean;
}

/** A stream as the lanes keep it; without an id, its opener never came and nobody is told of it. */
type LaneStream = {
  -readonly [K in keyof ChunkStream]: K extends "id" ? string | undefined : ChunkStream[K];
};

/** What an opener establishes, and a continuation may repeat with the same value. */
type Established = "role" | "name" | "toolCallName" | "parentMessageId";
interface EstablishedField {
  readonly field: Established;
  readonly absent?: string;
}

type ChunkId = (typeof lifecycle)[ChunkTypeName]["id"];

/** A chunk's optional fields, whatever its type. */
type AnyChunk = { readonly [K in Established | ChunkId | "subagentRunId"]?: string };

// Without a prototype, so that a type "constructor" is unknown; it is also looked up faster.
const rows = Object.assign(Object.create(null) as object, lifecycle) as {
  readonly [type: string]: LifecycleRow | undefined;
};
const established = Object.fromEntries(
  Object.values<LifecycleRow>(lifecycle)
    .filter(({ role }) => role === "opens")
    .map(({ kind, keeps = [] }) => [kind, keeps]),
) as unknown as Readonly<Record<ChunkKind, readonly EstablishedField[]>>;

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
  const held: Record<ChunkKind, Map<string, LaneStream>> = {
    text: new Map(),
    toolCall: new Map(),
    reasoningMessage: new Map(),
  };

  function closeLane(owner: string | undefined): void {
    const stream = lanes.get(owner);
    if (stream === undefined) return;
    lanes.delete(owner);
    if (!isKnown(stream)) return;
    held[stream.kind].delete(stream.id);
    listener.close(stream);
  }

  function openLane(kind: ChunkKind, id: string | undefined, chunk: AnyChunk & ChunkEvent): void {
    const owner = chunk.subagentRunId ?? undefined;
    closeLane(owner);
    const stream: LaneStream = {
      kind,
      id,
      subagentRunId: chunk.subagentRunId,
      role: chunk.role,
      name: chunk.name,
      toolCallName: chunk.toolCallName,
      parentMessageId: chunk.parentMessageId,
    };
    for (const { field, absent } of established[kind])
      if (stream[field] === undefined) stream[field] = absent;
    lanes.set(owner, stream);
    if (!isKnown(stream)) return;
    held[kind].set(stream.id, stream);
    listener.open(stream, chunk);
  }

  function continueLane(stream: LaneStream, chunk: AnyChunk & ChunkEvent): void {
    if (!isKnown(stream)) return;
    if (repeatsOtherwise(stream, chunk)) compareRepeats(stream, chunk);
    listener.continue(stream, chunk);
  }

  function compareRepeats(stream: LaneStream & ChunkStream, chunk: AnyChunk & ChunkEvent): void {
    for (const { field } of established[stream.kind]) {
      const value = chunk[field];
      if (value === undefined || value === stream[field]) continue;
      // A call keeps no name only when its opener was at fault for that, and was told so.
      if (field !== "toolCallName" || stream.toolCallName !== undefined) {
        listener.fault({ rule: "chunk-conflict", id: stream.id, field, stream }, chunk);
      }
      (stream as LaneStream)[field] = value;
    }
  }

  function observeChunk(chunk: AnyChunk & ChunkEvent, kind: ChunkKind, idField: ChunkId): void {
    const id = idField === "toolCallId" ? chunk.toolCallId : chunk.messageId;
    const tag = chunk.subagentRunId ?? undefined;
    const own = lanes.get(tag);
    if (own !== undefined && own.kind === kind && (id === undefined || id === own.id)) {
      continueLane(own, chunk);
      return;
    }
    if (id !== undefined) {
      const holder = held[kind].get(id);
      if (holder === undefined) {
        if (kind === "toolCall" && chunk.toolCallName === undefined) {
          listener.fault({ rule: "chunk-without-id", id, field: "toolCallName", stream: undefined }, chunk);
        }
        openLane(kind, id, chunk);
        return;
      }
      if (tag !== undefined) {
        const stream = holder as ChunkStream;
        listener.fault({ rule: "owner-mismatch", id, field: "subagentRunId", stream }, chunk);
        moveLane(holder, tag);
      }
      continueLane(holder, chunk);
      return;
    }
    const candidates = held[kind];
    if (tag === undefined && candidates.size === 1) {
      for (const only of candidates.values()) continueLane(only, chunk);
      return;
    }
    const rule = tag === undefined && candidates.size > 1 ? "chunk-ambiguous" : "chunk-without-id";
    const stream = own && isKnown(own) ? own : undefined;
    listener.fault({ rule, id, field: idField, stream }, chunk);
    openLane(kind, undefined, chunk);
  }

  function moveLane(stream: LaneStream, tag: string): void {
    lanes.delete(stream.subagentRunId ?? undefined);
    closeLane(tag);
    stream.subagentRunId = tag;
    lanes.set(tag, stream);
  }

  return {
    get size() {
      return lanes.size;
    },

    open() {
      return [...lanes.values()].filter(isKnown).map(({ kind, id }) => ({ kind, id }));
    },

    observe(event) {
      const row = rows[event.type];
      if (row === undefined) return false;
      if (row.role === "chunk") {
        observeChunk(event as ChunkEvent, row.kind as ChunkKind, row.id as ChunkId);
        return true;
      }
      if (lanes.size === 0) return false;
      if (row.lanes === "own") {
        const owner = (event as AnyChunk).subagentRunId ?? undefined;
        // An event that is about a subagent and names none is malformed, not the parent's.
        if (owner !== undefined || row.kind !== "subagent") closeLane(owner);
      } else if (row.lanes === "all") {
        for (const owner of [...lanes.keys()]) closeLane(owner);
      }
      return false;
    },
  };
}

/** Whether a comparison is due: most chunks repeat nothing or the same, and a loop over names costs them double. */
function repeatsOtherwise(
  stream: ChunkStream,
  { role, name, toolCallName, parentMessageId }: AnyChunk,
): boolean {
  return (
    (role !== undefined && role !== stream.role) ||
    (name !== undefined && name !== stream.name) ||
    (toolCallName !== undefined && toolCallName !== stream.toolCallName) ||
    (parentMessageId !== undefined && parentMessageId !== stream.parentMessageId)
  );
}

function isKnown(stream: LaneStream): stream is LaneStream & ChunkStream {
  return stream.id !== undefined;
}
