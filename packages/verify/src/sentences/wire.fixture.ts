import {
  expandChunks,
  parseEvents,
  scanRun,
  type AGUIEvent,
  type Message,
  type RunView,
  type Warning,
} from "@agrx/core";
import { from, tap } from "rxjs";
import type { Profile } from "../options.js";
import { verify } from "../verify.js";

/** What came, as it stood on the wire. */
export type Json = Record<string, unknown>;

/** What a consumer, or a producer that guards itself, shows of a stream. */
export interface Played {
  readonly delivered: readonly AGUIEvent[];
  readonly warnings: readonly Warning[];
  readonly view: RunView | undefined;
  readonly error: { rule?: string; path?: string; index?: number; name: string; message: string } | undefined;
}

/** What a run starts from. */
export interface Input {
  readonly messages?: readonly Json[];
  readonly state?: unknown;
}

/** Sends a stream through the consumer's chain. */
export function consume(stream: readonly unknown[], { messages = [], state }: Input = {}): Played {
  return play(stream, "consumer", { messages: messages as unknown as Message[], state });
}

/** Sends a stream through the guard of a producer. */
export function produce(stream: readonly unknown[], input: Json = {}): Played {
  return play(stream, "producer", {}, input);
}

function play(
  stream: readonly unknown[],
  profile: Profile,
  initial: { messages?: Message[]; state?: unknown },
  input?: Json,
): Played {
  const warnings: Warning[] = [];
  const delivered: AGUIEvent[] = [];
  const warn = { onWarning: (warning: Warning) => void warnings.push(warning) };
  let view: RunView | undefined;
  let error: Played["error"];
  from(stream)
    .pipe(
      parseEvents(warn),
      expandChunks(warn),
      verify({ ...warn, profile, ...(input && { input }) }),
      tap((event) => void delivered.push(event)),
      scanRun(initial, warn),
    )
    .subscribe({ next: (next) => (view = next), error: (cause) => (error = cause as Played["error"]) });
  return { delivered, warnings, view, error };
}

// --- events, as short as their meaning allows ---

export const event = (type: string, fields: Json = {}): Json => ({ type, ...fields });

const make =
  (type: string, ...names: string[]) =>
  (...values: unknown[]): Json => {
    const more = values.length > names.length ? (values[names.length] as Json) : {};
    return event(type, { ...Object.fromEntries(names.map((name, at) => [name, values[at]])), ...more });
  };

export const started = (more: Json = {}) => event("RUN_STARTED", { threadId: "t", runId: "r", ...more });
export const finished = (more: Json = {}) => event("RUN_FINISHED", { threadId: "t", runId: "r", ...more });
export const failed = (more: Json = {}) => event("RUN_ERROR", { message: "boom", ...more });

/** A whole run. */
export const run = (...events: readonly (Json | readonly Json[])[]): Json[] => [
  started(),
  ...events.flat(),
  finished(),
];

export const textStart = (messageId: string, more: Json = {}) =>
  event("TEXT_MESSAGE_START", { messageId, role: "assistant", ...more });
export const textContent = make("TEXT_MESSAGE_CONTENT", "messageId", "delta");
export const textEnd = make("TEXT_MESSAGE_END", "messageId");
export const textChunk = make("TEXT_MESSAGE_CHUNK");
export const text = (id: string, content: string, more: Json = {}): Json[] => [
  textStart(id, more),
  textContent(id, content),
  textEnd(id),
];

export const callStart = (toolCallId: string, more: Json = {}) =>
  event("TOOL_CALL_START", { toolCallId, toolCallName: "f", ...more });
export const callArgs = make("TOOL_CALL_ARGS", "toolCallId", "delta");
export const callEnd = make("TOOL_CALL_END", "toolCallId");
export const callChunk = make("TOOL_CALL_CHUNK");
export const call = (id: string, json = "{}", more: Json = {}): Json[] => [
  callStart(id, more),
  callArgs(id, json),
  callEnd(id),
];
export const result = make("TOOL_CALL_RESULT", "toolCallId", "messageId", "content");

export const spanStart = make("REASONING_START", "messageId");
export const spanEnd = make("REASONING_END", "messageId");
export const thoughtStart = (messageId: string, more: Json = {}) =>
  event("REASONING_MESSAGE_START", { messageId, role: "reasoning", ...more });
export const thoughtContent = make("REASONING_MESSAGE_CONTENT", "messageId", "delta");
export const thoughtEnd = make("REASONING_MESSAGE_END", "messageId");
export const thoughtChunk = make("REASONING_MESSAGE_CHUNK");
export const thought = (id: string, content: string, more: Json = {}): Json[] => [
  thoughtStart(id, more),
  thoughtContent(id, content),
  thoughtEnd(id),
];
/** An encrypted value `v`, of a message unless said otherwise. */
export const encrypted = (entityId: string, more: Json = {}) =>
  event("REASONING_ENCRYPTED_VALUE", { entityId, subtype: "message", encryptedValue: "v", ...more });

export const stepStart = make("STEP_STARTED", "stepName");
export const stepEnd = make("STEP_FINISHED", "stepName");
export const agentStart = (subagentRunId: string, more: Json = {}) =>
  event("SUBAGENT_STARTED", { subagentRunId, name: "helper", ...more });
export const agentEnd = make("SUBAGENT_FINISHED", "subagentRunId");
export const agentError = (subagentRunId: string, more: Json = {}) =>
  event("SUBAGENT_ERROR", { subagentRunId, message: "gone", ...more });

export const snapshot = make("STATE_SNAPSHOT", "snapshot");
export const delta = (...operations: readonly unknown[]) => event("STATE_DELTA", { delta: operations });
export const restate = (...messages: readonly Json[]) => event("MESSAGES_SNAPSHOT", { messages });
export const activity = (messageId: string, more: Json = {}) =>
  event("ACTIVITY_SNAPSHOT", { messageId, activityType: "search", content: { found: 1 }, ...more });
export const activityDelta = (messageId: string, patch: readonly unknown[], more: Json = {}) =>
  event("ACTIVITY_DELTA", { messageId, activityType: "search", patch, ...more });
export const raw = (more: Json = {}) => event("RAW", { event: 1, ...more });
export const custom = (more: Json = {}) => event("CUSTOM", { name: "x", value: 1, ...more });

// --- operations and messages ---

export const add = (path: string, value: unknown): Json => ({ op: "add", path, value });
export const replace = (path: string, value: unknown): Json => ({ op: "replace", path, value });

export const user = (id: string, content: unknown = "hi", more: Json = {}): Json => ({
  id,
  role: "user",
  content,
  ...more,
});
export const assistant = (id: string, more: Json = {}): Json => ({ id, role: "assistant", ...more });
export const tool = (id: string, toolCallId: string, content: unknown = "ok", more: Json = {}): Json => ({
  id,
  role: "tool",
  toolCallId,
  content,
  ...more,
});
export const reasoning = (id: string, content: string, more: Json = {}): Json => ({
  id,
  role: "reasoning",
  content,
  ...more,
});
export const activityMessage = (id: string, more: Json = {}): Json => ({
  id,
  role: "activity",
  activityType: "search",
  content: { found: 1 },
  ...more,
});
export const called = (id: string, json = "{}", more: Json = {}): Json => ({
  id,
  type: "function",
  function: { name: "f", arguments: json },
  ...more,
});

// --- what many streams share ---

export const on = (subagentRunId: string): Json => ({ subagentRunId });
export const meta = (metadata: Json): Json => ({ metadata });
export const a1 = on("a1");
export const a2 = on("a2");
export const again = (runId: string, more: Json = {}) => started({ runId, ...more });
export const interrupt = (...ids: string[]): Json => ({
  outcome: { type: "interrupt", interrupts: ids.map((id) => ({ id, reason: "ask" })) },
});
export const sourced = (source: unknown, more: Json = {}): Json => ({ type: "image", source, ...more });
export const url: Json = { type: "url", value: "https://x" };

export const S = "TEXT_MESSAGE_START";
export const C = "TEXT_MESSAGE_CONTENT";
export const E = "TEXT_MESSAGE_END";
export const within = (types: string) => `RUN_STARTED ${types} RUN_FINISHED`;
export const chunk = (more: Json = {}) => textChunk({ messageId: "m", delta: "x", ...more });
export const tail = (more: Json = {}) => textChunk({ delta: "y", ...more });
