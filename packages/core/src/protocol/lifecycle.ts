import type { EventOf, EventTypeName } from "./vocabulary.js";

/** The kinds of entity that events open, continue, close or answer; each has an id space of its own. */
export type EntityKind =
  "run" | "text" | "toolCall" | "reasoning" | "reasoningMessage" | "step" | "activity" | "subagent";

/** What an event does to its entity. */
export type LifecycleRole =
  "opens" | "continues" | "closes" | "answers" | "annotates" | "chunk" | "standalone";

/** Which open chunk streams an event ends before it passes: every lane's, or none. */
export type LaneEffect = "all" | "none";

/** Stands for an event of any type: each field may be there. */
type AnyFields = Record<string, string>;

/** The fields of an event that hold a string: the ones an id can stand in. */
type IdField<E> = {
  [K in keyof E & string]-?: string extends Exclude<E[K], undefined> ? K : never;
}[keyof E & string];

/** A field that a later opener of the same id has to repeat. */
export interface KeptField<E = AnyFields> {
  readonly field: keyof E & string;
  /** What it means that the field is absent. */
  readonly absent?: string;
}

/** What the lifecycle table says of one event type, `E`; without it, of any. */
export interface LifecycleRow<E = AnyFields> {
  readonly role: LifecycleRole;
  /** The kind of entity; absent when the event concerns none. */
  readonly kind?: EntityKind;
  /** The field under which the entity's id stands; absent when the event carries none. */
  readonly id?: IdField<E>;
  /** The field under which the event mints a message of its own. */
  readonly mints?: IdField<E>;
  /** Whether the event reports that its entity failed. */
  readonly fails?: true;
  /** Of an opener: the entity that it opens inside, under its field `id`; an untagged one takes that one's owner. */
  readonly within?: { readonly kind: EntityKind; readonly id: IdField<E> };
  /** Of an opener: the field with the id of another entity of its kind, which has to be announced before. */
  readonly parent?: IdField<E>;
  /** Of an opener: what a producer repeats when it opens a closed id again. */
  readonly keeps?: readonly KeptField<E>[];
  /** Of an opener: the field whose `false` says that the entity, if it is there, stays as it is. */
  readonly replaces?: keyof E & string;
  /** Of an event that annotates: the field that says what it annotates, and the kinds that may be meant. */
  readonly targets?: {
    readonly field: keyof E & string;
    readonly kinds: Readonly<Record<string, readonly EntityKind[]>>;
  };
  /** The field with messages that the event restates: their owners count from now on. */
  readonly restates?: keyof E & string;
  /**
   * Which open chunk streams the event ends; absent, its own lane's (spec 1.1
   * basic/patterns/streaming#closing-a-chunk-stream).
   */
  readonly lanes?: LaneEffect;
}

/** A row for every event type. */
export type LifecycleTable = { readonly [T in EventTypeName]: LifecycleRow<EventOf<T>> };

/**
 * The protocol as data: for every event type, which kind of entity it opens, continues, closes or
 * answers, and under which field that entity's id stands.
 *
 * Builders, views, chunk expansion and the verifier read this one table; adding an event type is adding
 * a row. Source: AG-UI specification 1.1, events/* and basic/patterns/streaming.
 */
export const lifecycle = {
  RUN_STARTED: { role: "opens", kind: "run", id: "runId", lanes: "all" },
  RUN_FINISHED: { role: "closes", kind: "run", id: "runId", lanes: "all" },
  RUN_ERROR: { role: "closes", kind: "run", fails: true, lanes: "all" },

  STEP_STARTED: { role: "opens", kind: "step", id: "stepName" },
  STEP_FINISHED: { role: "closes", kind: "step", id: "stepName" },

  TEXT_MESSAGE_START: {
    role: "opens",
    kind: "text",
    id: "messageId",
    keeps: [{ field: "name" }, { field: "role", absent: "assistant" }],
  },
  TEXT_MESSAGE_CONTENT: { role: "continues", kind: "text", id: "messageId" },
  TEXT_MESSAGE_END: { role: "closes", kind: "text", id: "messageId" },
  TEXT_MESSAGE_CHUNK: { role: "chunk", kind: "text", id: "messageId" },

  TOOL_CALL_START: {
    role: "opens",
    kind: "toolCall",
    id: "toolCallId",
    within: { kind: "text", id: "parentMessageId" },
    keeps: [{ field: "toolCallName" }, { field: "parentMessageId" }],
  },
  TOOL_CALL_ARGS: { role: "continues", kind: "toolCall", id: "toolCallId" },
  TOOL_CALL_END: { role: "closes", kind: "toolCall", id: "toolCallId" },
  TOOL_CALL_CHUNK: { role: "chunk", kind: "toolCall", id: "toolCallId" },
  TOOL_CALL_RESULT: { role: "answers", kind: "toolCall", id: "toolCallId", mints: "messageId" },

  REASONING_START: { role: "opens", kind: "reasoning", id: "messageId" },
  REASONING_END: { role: "closes", kind: "reasoning", id: "messageId" },
  REASONING_MESSAGE_START: { role: "opens", kind: "reasoningMessage", id: "messageId" },
  REASONING_MESSAGE_CONTENT: { role: "continues", kind: "reasoningMessage", id: "messageId" },
  REASONING_MESSAGE_END: { role: "closes", kind: "reasoningMessage", id: "messageId" },
  REASONING_MESSAGE_CHUNK: { role: "chunk", kind: "reasoningMessage", id: "messageId" },
  REASONING_ENCRYPTED_VALUE: {
    role: "annotates",
    id: "entityId",
    targets: {
      field: "subtype",
      kinds: { message: ["text", "reasoningMessage", "reasoning"], "tool-call": ["toolCall"] },
    },
    lanes: "none",
  },

  STATE_SNAPSHOT: { role: "standalone" },
  STATE_DELTA: { role: "standalone" },
  MESSAGES_SNAPSHOT: { role: "standalone", restates: "messages", lanes: "all" },

  ACTIVITY_SNAPSHOT: {
    role: "opens",
    kind: "activity",
    id: "messageId",
    replaces: "replace",
    lanes: "none",
  },
  ACTIVITY_DELTA: { role: "continues", kind: "activity", id: "messageId", lanes: "none" },

  SUBAGENT_STARTED: {
    role: "opens",
    kind: "subagent",
    id: "subagentRunId",
    parent: "parentSubagentRunId",
    lanes: "none",
  },
  SUBAGENT_FINISHED: { role: "closes", kind: "subagent", id: "subagentRunId" },
  SUBAGENT_ERROR: { role: "closes", kind: "subagent", id: "subagentRunId", fails: true },

  RAW: { role: "standalone", lanes: "none" },
  CUSTOM: { role: "standalone" },
} as const satisfies LifecycleTable;

/** How entities of one kind behave over their life. */
export interface EntityKindRow {
  /** A reader's name for it, for messages: "tool call". */
  readonly label: string;
  /** Whether it has to be closed before RUN_FINISHED. */
  readonly mustClose?: true;
  /** What a new opening event of an id that was closed means: absent, that its content goes on. */
  readonly reopen?: "refused";
  /** Whether two owners may have the same id open at once (a step name is a label, not an id): each ends its own. */
  readonly perOwner?: true;
  /** Whose its later events must be: absent, its opener's or nobody's; "none", no owner applies. */
  readonly ownership?: "none";
  /** Whether its id is a message's: unique in the thread, whatever the message's role. */
  readonly message?: true;
  /** The kind that has the same owner under the same id. */
  readonly sameOwner?: EntityKind;
}

/** What is true of every entity of a kind. Source: AG-UI specification 1.1, basic/patterns/streaming, events/lifecycle, events/subagents. */
export const entityKinds: Readonly<Record<EntityKind, EntityKindRow>> = {
  run: { label: "run", ownership: "none" },
  text: { label: "text message", mustClose: true, message: true },
  toolCall: { label: "tool call", mustClose: true },
  reasoning: { label: "reasoning span", mustClose: true, sameOwner: "reasoningMessage" },
  reasoningMessage: {
    label: "reasoning message",
    mustClose: true,
    message: true,
    sameOwner: "reasoning",
  },
  step: { label: "step", mustClose: true, perOwner: true },
  activity: { label: "activity", message: true },
  subagent: { label: "subagent", mustClose: true, reopen: "refused", ownership: "none" },
};
