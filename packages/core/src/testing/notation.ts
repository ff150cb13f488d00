import { lifecycle, type EntityKind, type LifecycleRole, type LifecycleRow } from "../protocol/lifecycle.js";
import type { EventTypeName } from "../protocol/vocabulary.js";

/** How one event type is written: `word id/second @owner payload`. */
export interface Notation {
  readonly type: EventTypeName;
  readonly word: string;
  readonly id?: string;
  readonly second?: string;
  readonly payload?: string;
  /** Whether the payload is JSON, else it is a string. */
  readonly json?: boolean;
}

const nouns: Record<EntityKind, string> = {
  run: "run",
  text: "text",
  toolCall: "call",
  reasoning: "span",
  reasoningMessage: "thought",
  step: "step",
  activity: "activity",
  subagent: "agent",
};

const signs: Partial<Record<LifecycleRole, string>> = {
  opens: "+",
  continues: ":",
  closes: "-",
  answers: "=",
  chunk: "~",
};

/** What stands in a word besides the id, and the words of events that concern no entity. */
const details: {
  readonly [T in EventTypeName]?: Omit<Notation, "type" | "id" | "word"> & { word?: string };
} = {
  RUN_STARTED: { second: "threadId" },
  RUN_FINISHED: { second: "threadId" },
  RUN_ERROR: { second: "code", payload: "message" },
  TEXT_MESSAGE_START: { second: "role" },
  TEXT_MESSAGE_CONTENT: { payload: "delta" },
  TEXT_MESSAGE_CHUNK: { second: "role", payload: "delta" },
  TOOL_CALL_START: { second: "toolCallName" },
  TOOL_CALL_ARGS: { payload: "delta" },
  TOOL_CALL_CHUNK: { second: "toolCallName", payload: "delta" },
  TOOL_CALL_RESULT: { second: "messageId", payload: "content" },
  REASONING_MESSAGE_CONTENT: { payload: "delta" },
  REASONING_MESSAGE_CHUNK: { payload: "delta" },
  REASONING_ENCRYPTED_VALUE: { word: "encrypted=", second: "subtype", payload: "encryptedValue" },
  STATE_SNAPSHOT: { word: "state=", payload: "snapshot", json: true },
  STATE_DELTA: { word: "state:", payload: "delta", json: true },
  MESSAGES_SNAPSHOT: { word: "messages=", payload: "messages", json: true },
  ACTIVITY_SNAPSHOT: { second: "activityType", payload: "content", json: true },
  ACTIVITY_DELTA: { second: "activityType", payload: "patch", json: true },
  SUBAGENT_STARTED: { second: "name" },
  SUBAGENT_ERROR: { second: "code", payload: "message" },
  RAW: { word: "raw=", second: "source", payload: "event", json: true },
  CUSTOM: { word: "custom=", second: "name", payload: "value", json: true },
};

const all = (Object.keys(lifecycle) as EventTypeName[]).map((type): Notation => {
  const row: LifecycleRow = lifecycle[type];
  const word = `${row.kind ? nouns[row.kind] : ""}${row.fails ? "!" : (signs[row.role] ?? "")}`;
  return { type, word, ...(row.id !== undefined && { id: row.id }), ...details[type] };
});

/** How each event type is written, by the word that begins it. */
export const byWord: ReadonlyMap<string, Notation> = new Map(all.map((row) => [row.word, row]));

/** How each event type is written, by its type. */
export const byType: ReadonlyMap<string, Notation> = new Map(all.map((row) => [row.type, row]));

/** Begins an event written out as JSON, for what has no word of its own. */
export const ANY_EVENT = "event=";
