import { parseRunInput } from "@agrx/core";
import {
  activity,
  activityDelta,
  activityMessage,
  add,
  agentEnd,
  agentError,
  agentStart,
  assistant,
  call,
  callArgs,
  callChunk,
  called,
  callEnd,
  callStart,
  consume,
  custom,
  delta,
  encrypted,
  event,
  failed,
  finished,
  produce,
  raw,
  reasoning,
  replace,
  restate,
  result,
  run,
  snapshot,
  spanEnd,
  spanStart,
  started,
  stepEnd,
  stepStart,
  text,
  textChunk,
  textContent,
  textEnd,
  textStart,
  thought,
  thoughtChunk,
  thoughtContent,
  thoughtEnd,
  thoughtStart,
  tool,
  user,
  type Input,
  type Json,
  type Played,
} from "./protocol-sentences.fixture.js";

/** A sentence of the protocol, a stream that shows it, and what has to follow. */
interface Sentence {
  readonly says: string;
  readonly stream: readonly unknown[];
  readonly input?: Input;
  /** The rule that the stream breaks, or the path of what is malformed. Default: the stream is legal. */
  readonly refused?: string;
  /** The index of the event at fault. */
  readonly at?: number;
  /** The codes of all warnings, each once. Default none. */
  readonly warned?: readonly string[];
  /** Where, of all warnings that name a path. */
  readonly paths?: readonly string[];
  /** The types of the events that reach the views. */
  readonly delivered?: string;
  /** Parts of events that reach the views, by their index there. */
  readonly carried?: Readonly<Record<number, Json>>;
  /** All messages in the end. */
  readonly messages?: readonly Json[];
  readonly state?: unknown;
  /** What else the last view shows. */
  readonly view?: Json;
  /** The rule that a producer breaks by it. Default: what a consumer refuses. */
  readonly producer?: string;
}

const on = (subagentRunId: string): Json => ({ subagentRunId });
const meta = (metadata: Json): Json => ({ metadata });
const a1 = on("a1");
const a2 = on("a2");
const again = (runId: string, more: Json = {}) => started({ runId, ...more });
const interrupt = (...ids: string[]): Json => ({
  outcome: { type: "interrupt", interrupts: ids.map((id) => ({ id, reason: "ask" })) },
});
const sourced = (source: unknown, more: Json = {}): Json => ({ type: "image", source, ...more });
const url: Json = { type: "url", value: "https://x" };

const everyType: Sentence[] = [
  {
    says: "all 31 types are known",
    stream: run(
      stepStart("s"),
      text("m", "hi"),
      textChunk({ messageId: "n", delta: "x" }),
      call("c"),
      callChunk({ toolCallId: "d", toolCallName: "f", delta: "{}" }),
      result("c", "tm", "ok"),
      spanStart("p"),
      thought("q", "hm"),
      thoughtChunk({ messageId: "u", delta: "hm" }),
      spanEnd("p"),
      encrypted("q"),
      snapshot({}),
      delta(add("/a", 1)),
      activity("v"),
      activityDelta("v", [replace("/found", 2)]),
      agentStart("a1"),
      agentEnd("a1"),
      agentStart("a2"),
      agentError("a2"),
      raw(),
      custom(),
      restate(),
      stepEnd("s"),
    ),
  },
  {
    says: "an optional timestamp is a safe integer and never used for order",
    stream: run(
      textStart("m", { timestamp: 9 }),
      textContent("m", "a", { timestamp: 3 }),
      textEnd("m", { timestamp: -1 }),
    ),
  },
  ...[1.5, 2 ** 53, "1", null].map((timestamp) => ({
    says: `a timestamp is not ${String(timestamp)}`,
    stream: run(custom({ timestamp })),
    refused: "timestamp",
    at: 1,
  })),
  ...[0, "", false, [], {}].map((rawEvent) => ({
    says: `rawEvent may be ${JSON.stringify(rawEvent)}`,
    stream: run(custom({ rawEvent })),
    carried: { 1: { rawEvent } },
  })),
  ...[null, [], "x"].map((metadata) => ({
    says: `metadata is not ${JSON.stringify(metadata)}`,
    stream: run(custom({ metadata })),
    refused: "metadata",
  })),
  ...["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED", "RUN_ERROR"].map((type) => ({
    says: `${type} has no subagentRunId`,
    stream: [started(), restate(), type === "RUN_ERROR" ? failed() : finished()].map((each) =>
      each["type"] === type ? { ...each, ...a1 } : each,
    ),
    warned: ["unknown-property"],
    paths: ["subagentRunId"],
  })),
  ...[
    textStart("m", { name: null }),
    textStart("m", { role: null }),
    textStart("m", { subagentRunId: null }),
    callStart("c", { encryptedValue: 1, subagentRunId: null }),
    activity("v", { replace: null }),
    agentStart("a1", { description: null }),
    raw({ source: null }),
  ].map((each) => {
    const field = Object.keys(each).find((name) => each[name] === null)!;
    return {
      says: `${String(each["type"])}.${field} is not null`,
      stream: run(each),
      refused: field,
      at: 1,
      ...("encryptedValue" in each && { warned: ["unknown-property"] }),
    };
  }),
  { says: "usage is not null", stream: [started(), finished({ usage: null })], refused: "usage", at: 1 },
  { says: "code is not null", stream: [started(), failed({ code: null })], refused: "code", at: 1 },
  {
    says: "protocolVersion is not null",
    stream: [started({ protocolVersion: null })],
    refused: "protocolVersion",
  },
  {
    says: "null inside metadata, state or a required payload is data",
    stream: run(custom({ value: null, ...meta({ a: null }) }), raw({ event: null }), snapshot({ a: null })),
    carried: { 1: { value: null, metadata: { a: null } }, 2: { event: null } },
    state: { a: null },
  },
  {
    says: "every delta may be empty",
    stream: run(text("m", ""), call("c", ""), thought("q", ""), textChunk({ messageId: "n", delta: "" })),
  },
  ...(
    [
      [textStart("m"), "messageId"],
      [textContent("m", "x"), "messageId", "delta"],
      [textEnd("m"), "messageId"],
      [callStart("c"), "toolCallId", "toolCallName"],
      [callArgs("c", "x"), "toolCallId", "delta"],
      [callEnd("c"), "toolCallId"],
      [result("c", "tm", "x"), "toolCallId", "messageId", "content"],
      [spanStart("p"), "messageId"],
      [spanEnd("p"), "messageId"],
      [thoughtStart("q"), "messageId", "role"],
      [thoughtContent("q", "x"), "messageId", "delta"],
      [thoughtEnd("q"), "messageId"],
      [encrypted("m"), "entityId", "subtype", "encryptedValue"],
      [snapshot(1), "snapshot"],
      [delta(), "delta"],
      [restate(), "messages"],
      [activity("v"), "messageId", "activityType", "content"],
      [activityDelta("v", []), "messageId", "activityType", "patch"],
      [agentStart("a1"), "subagentRunId", "name"],
      [agentEnd("a1"), "subagentRunId"],
      [agentError("a1"), "subagentRunId", "message"],
      [raw(), "event"],
      [custom(), "name", "value"],
      [stepStart("s"), "stepName"],
      [stepEnd("s"), "stepName"],
      [failed(), "message"],
      [finished(), "threadId", "runId"],
    ] as const
  ).flatMap(([each, ...required]) =>
    required.map((field) => ({
      says: `${String(each["type"])} needs ${field}`,
      stream: [started(), Object.fromEntries(Object.entries(each).filter(([name]) => name !== field))],
      refused: field,
      at: 1,
    })),
  ),
  {
    says: "RUN_STARTED needs runId",
    stream: [event("RUN_STARTED", { threadId: "t" })],
    refused: "runId",
    at: 0,
  },
  {
    says: "a span and its reasoning message share an id and are open together",
    stream: run(spanStart("p"), thought("p", "hm"), spanEnd("p")),
    messages: [reasoning("p", "hm")],
  },
  {
    says: "a text message and a call share an id and are open together",
    stream: run(
      textStart("x"),
      callStart("x"),
      textContent("x", "a"),
      callArgs("x", "{}"),
      textEnd("x"),
      callEnd("x"),
    ),
    messages: [assistant("x", { content: "a" }), assistant("x", { toolCalls: [called("x")] })],
  },
  {
    says: "a message id is unique in the thread across all roles",
    stream: run(text("x", "a"), thought("x", "b")),
    messages: [assistant("x", { content: "ab" })],
    producer: "id-reused",
  },
  {
    says: "a producer emits no type outside the table; a consumer drops it and says so",
    stream: run(event("META", { metaType: "x" })),
    warned: ["unknown-event"],
    delivered: "RUN_STARTED RUN_FINISHED",
  },
  {
    says: "thinking events are reasoning events with minted ids, and lose their title with a word",
    stream: run(
      event("THINKING_START", { title: "Plan" }),
      event("THINKING_TEXT_MESSAGE_START"),
      event("THINKING_TEXT_MESSAGE_CONTENT", { delta: "hm" }),
      event("THINKING_TEXT_MESSAGE_END"),
      event("THINKING_END"),
    ),
    delivered:
      "RUN_STARTED REASONING_START REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END REASONING_END RUN_FINISHED",
    warned: ["retired-shape", "unknown-property"],
    paths: ["title"],
    carried: { 2: { role: "reasoning" } },
  },
  {
    says: "a retired null is read as absent, and said",
    stream: [
      started(),
      callStart("c", { parentMessageId: null, rawEvent: null }),
      callEnd("c"),
      agentStart("a1"),
      agentEnd("a1", { result: null }),
      restate(user("u", [sourced(url, { metadata: null })])),
      finished({ outcome: null, result: null }),
    ],
    warned: ["retired-shape"],
    paths: ["parentMessageId", "rawEvent", "result", "messages.0.content.0.metadata", "outcome", "result"],
    view: { status: "finished" },
    messages: [user("u", [sourced(url)])],
  },
  {
    says: "a binary part is a media part, and said",
    stream: run(restate(user("u", [{ type: "binary", mimeType: "image/png", url: "https://x" }]))),
    warned: ["retired-shape"],
    messages: [user("u", [sourced({ ...url, mimeType: "image/png" })])],
  },
];

const openers: readonly (readonly [string, Json, Json])[] = [
  ["message", textStart("x"), textEnd("x")],
  ["call", callStart("x"), callEnd("x")],
  ["span", spanStart("x"), spanEnd("x")],
  ["reasoning message", thoughtStart("x"), thoughtEnd("x")],
  ["step", stepStart("x"), stepEnd("x")],
  ["subagent", agentStart("x"), agentEnd("x")],
];

const ordering: Sentence[] = [
  ...[
    raw(),
    custom(),
    snapshot(1),
    textStart("m"),
    finished(),
    restate(),
    agentStart("a1"),
    activity("v"),
  ].map((first) => ({
    says: `1: the first event is not ${String(first["type"])}`,
    stream: [first, started(), finished()],
    refused: "not-started",
    at: 0,
  })),
  {
    says: "1: nor is it one made of a chunk",
    stream: [textChunk({ messageId: "m", delta: "x" }), started(), finished()],
    refused: "not-started",
    at: 0,
  },
  {
    says: "1: an unknown event is dropped before the first is looked at",
    stream: [event("NEWS"), started(), finished()],
    warned: ["unknown-event"],
  },
  ...[raw(), custom(), finished(), textStart("m"), snapshot(1), activity("v")].map((last) => ({
    says: `2: after RUN_FINISHED no ${String(last["type"])}`,
    stream: [started(), finished(), last],
    refused: "run-ended",
    at: 2,
  })),
  ...[raw(), finished(), failed(), textEnd("m")].map((last) => ({
    says: `2: after RUN_ERROR no ${String(last["type"])}`,
    stream: [started(), textStart("m"), failed(), last],
    refused: "run-ended",
    at: 3,
  })),
  {
    says: "2: no second RUN_ERROR after a late one",
    stream: [started(), finished(), failed(), failed()],
    refused: "run-ended",
    at: 3,
  },
  {
    says: "2: no second RUN_ERROR after a first one",
    stream: [failed(), failed()],
    refused: "run-ended",
    at: 1,
  },
  {
    says: "3: no RUN_STARTED while a run is active",
    stream: [started(), again("r2"), finished()],
    refused: "duplicate-run-started",
    at: 1,
  },
  {
    says: "4: RUN_FINISHED with another runId",
    stream: [started(), finished({ runId: "q" })],
    refused: "run-mismatch",
    at: 1,
  },
  {
    says: "4: RUN_FINISHED with another threadId",
    stream: [started(), finished({ threadId: "q" })],
    refused: "run-mismatch",
  },
  {
    says: "4: a later run on another thread",
    stream: [started(), finished(), again("r2", { threadId: "q" }), finished({ runId: "r2", threadId: "q" })],
    refused: "run-mismatch",
    at: 2,
  },
  {
    says: "4: also after a run that failed",
    stream: [started(), failed(), again("r2", { threadId: "q" })],
    refused: "run-mismatch",
    at: 2,
  },
  {
    says: "5: the runId of an earlier run is the producer's fault alone",
    stream: [...run(), ...run()],
    producer: "id-reused",
  },
  {
    says: "5: a subagent does not start again in one run",
    stream: run(agentStart("a1"), agentEnd("a1"), agentStart("a1"), agentEnd("a1")),
    refused: "id-reused",
    at: 3,
  },
  {
    says: "5: nor after its error",
    stream: run(agentStart("a1"), agentError("a1"), agentStart("a1"), agentEnd("a1")),
    refused: "id-reused",
    at: 3,
  },
  {
    says: "5: but it does in the next run",
    stream: [
      ...run(agentStart("a1"), agentEnd("a1")),
      again("r2"),
      agentStart("a1"),
      agentEnd("a1"),
      finished({ runId: "r2" }),
    ],
  },
  ...openers.map(([kind, open, close]) => ({
    says: `6: a ${kind} that is open does not start`,
    stream: run(open, open, close),
    refused: "duplicate-start",
    at: 2,
  })),
  {
    says: "6: nor does an owner's step",
    stream: run(stepStart("x", a1), stepStart("x", a1), stepEnd("x", a1)),
    refused: "duplicate-start",
    at: 2,
  },
  ...openers.map(([kind, , close]) => ({
    says: `7: a ${kind} that is not open does not end`,
    stream: run(close),
    refused: "not-open",
    at: 1,
  })),
  ...openers.map(([kind, open, close]) => ({
    says: `7: nor does a ${kind} that has ended`,
    stream: run(open, close, close),
    refused: "not-open",
    at: 3,
  })),
  ...[textContent("m", "x"), callArgs("m", "x"), thoughtContent("m", "x"), agentError("m")].map((each) => ({
    says: `7: no ${String(each["type"])} for what is not open`,
    stream: run(each),
    refused: "not-open",
    at: 1,
  })),
  ...[
    [...text("m", "x"), textContent("m", "y")],
    [...call("m"), callArgs("m", "x")],
    [...thought("m", "x"), thoughtContent("m", "y")],
    [agentStart("m"), agentEnd("m"), agentError("m")],
  ].map((each) => ({
    says: `7: no ${String(each.at(-1)!["type"])} for what has ended`,
    stream: run(each),
    refused: "not-open",
    at: each.length,
  })),
  {
    says: "7: what another kind has opened is not open for this one",
    stream: run(textStart("x"), callArgs("x", "{}"), textEnd("x")),
    refused: "not-open",
    at: 2,
  },
  {
    says: "8a: a parent subagent has been announced",
    stream: run(agentStart("a2", { parentSubagentRunId: "a1" }), agentEnd("a2")),
    refused: "unknown-id",
    at: 1,
  },
  {
    says: "8a: in this run",
    stream: [
      ...run(agentStart("a1"), agentEnd("a1")),
      again("r2"),
      agentStart("a2", { parentSubagentRunId: "a1" }),
      agentEnd("a2"),
      finished({ runId: "r2" }),
    ],
    refused: "unknown-id",
    at: 5,
  },
  {
    says: "8a: a closed one is fine",
    stream: run(
      agentStart("a1"),
      agentEnd("a1"),
      agentStart("a2", { parentSubagentRunId: "a1" }),
      agentEnd("a2"),
    ),
  },
  {
    says: "8b: a result for a call that nothing has shown is the producer's fault alone",
    stream: run(result("c", "tm", "ok")),
    messages: [tool("tm", "c")],
    producer: "unknown-id",
  },
  {
    says: "8b: the stream, a snapshot and the input show calls",
    input: { messages: [assistant("m0", { toolCalls: [called("c0")] })] },
    stream: run(
      result("c0", "t0", "ok"),
      restate(assistant("m0", { toolCalls: [called("c0"), called("c1")] }), tool("t0", "c0")),
      result("c1", "t1", "ok"),
      call("c2"),
      result("c2", "t2", "ok"),
    ),
  },
  {
    says: "8c: a delta before a snapshot of its activity is skipped with a warning",
    stream: run(activityDelta("v", [add("/a", 1)])),
    warned: ["unknown-id"],
    messages: [],
    producer: "unknown-id",
  },
  {
    says: "8c: an encrypted value for an unknown entity is skipped with a warning",
    stream: run(encrypted("m"), encrypted("c", { subtype: "tool-call" })),
    warned: ["unknown-id"],
    messages: [],
  },
  {
    says: "9a: no result while its call is open",
    stream: run(callStart("c"), result("c", "tm", "ok"), callEnd("c")),
    refused: "out-of-order",
    at: 2,
  },
  {
    says: "9b: a subagent starts before its events, for producers",
    stream: run(text("m", "x", a1), agentStart("a1"), agentEnd("a1")),
    producer: "out-of-order",
  },
  ...openers.flatMap(([kind, open]) => [
    { says: `10: RUN_FINISHED leaves no ${kind} open`, stream: run(open), refused: "open-at-finish", at: 2 },
    {
      says: `10: nor does a cancelled one a ${kind}`,
      stream: [started(), open, finished({ outcome: { type: "cancelled" } })],
      refused: "open-at-finish",
      at: 2,
    },
    {
      says: `10: nor does an interrupt a ${kind}`,
      stream: [started(), open, finished(interrupt("i"))],
      refused: "open-at-finish",
      at: 2,
    },
    { says: `10: RUN_ERROR abandons a ${kind}`, stream: [started(), open, failed()] },
  ]),
  { says: "10: an activity is never closed", stream: run(activity("v")) },
  { says: "10: a subagent that was never announced is not open", stream: run(text("m", "x", a1)) },
  ...(
    [
      ["continuation", [textStart("m", a1), textContent("m", "x", a2), textEnd("m")]],
      ["close", [textStart("m", a1), textEnd("m", a2)]],
      ["tag on the parent's item", [textStart("m"), textContent("m", "x", a1), textEnd("m")]],
      ["tag on the parent's end", [callStart("m"), callEnd("m", a1)]],
      ["span's end", [spanStart("m", a1), spanEnd("m", a2)]],
      ["thought", [thoughtStart("m", a1), thoughtContent("m", "x", a2), thoughtEnd("m")]],
      ["argument", [callStart("m", a1), callArgs("m", "x", a2), callEnd("m")]],
    ] as const
  ).map(([what, stream]) => ({
    says: `11: a ${what} of another owner`,
    stream: run(stream),
    refused: "owner-mismatch",
    at: 2,
  })),
  {
    says: "11: a reopening of another owner",
    stream: run(text("m", "x", a1), text("m", "y", a2)),
    refused: "owner-mismatch",
    at: 4,
  },
  {
    says: "11: a reopening of the parent's by a subagent",
    stream: run(call("m"), call("m", "{}", a2)),
    refused: "owner-mismatch",
    at: 4,
  },
  {
    says: "11: a reopening of a reasoning message by another owner",
    stream: run(thought("m", "x", a1), thought("m", "y", a2)),
    refused: "owner-mismatch",
    at: 4,
  },
  {
    says: "11: a chunk of another owner",
    stream: run(
      textChunk({ messageId: "m", delta: "x", ...a1 }),
      textChunk({ messageId: "m", delta: "y", ...a2 }),
    ),
    refused: "owner-mismatch",
    at: 2,
  },
  {
    says: "11: a tagged chunk with the id of the parent's",
    stream: run(textChunk({ messageId: "m", delta: "x" }), textChunk({ messageId: "m", delta: "y", ...a2 })),
    refused: "owner-mismatch",
    at: 2,
  },
  {
    says: "11: an encrypted value of another owner",
    stream: run(text("m", "x", a1), encrypted("m", a2)),
    refused: "owner-mismatch",
    at: 4,
  },
  {
    says: "11: a subagent's encrypted value for the parent's call",
    stream: run(call("c"), encrypted("c", { subtype: "tool-call", ...a2 })),
    refused: "owner-mismatch",
    at: 4,
  },
  {
    says: "11: its own and an untagged encrypted value pass",
    stream: run(thought("m", "x", a1), encrypted("m", a1), encrypted("m")),
  },
  {
    says: "11: a call with another tag than its parent message",
    stream: run(text("m", "x", a1), call("c", "{}", { parentMessageId: "m", ...a2 })),
    refused: "owner-mismatch",
    at: 4,
  },
  {
    says: "11: a tagged call in the parent's message",
    stream: run(text("m", "x"), call("c", "{}", { parentMessageId: "m", ...a2 })),
    refused: "owner-mismatch",
    at: 4,
  },
  {
    says: "11: an untagged call has its message's owner",
    stream: run(text("m", "x", a1), callStart("c", { parentMessageId: "m" }), callEnd("c", a2)),
    refused: "owner-mismatch",
    at: 5,
  },
  {
    says: "11: a step ends with its start's tag",
    stream: run(stepStart("s", a1), stepEnd("s")),
    refused: "owner-mismatch",
    at: 2,
  },
  {
    says: "11: also the parent's",
    stream: run(stepStart("s"), stepEnd("s", a1)),
    refused: "owner-mismatch",
    at: 2,
  },
  {
    says: "11: an activity's delta of another owner",
    stream: run(activity("v", a1), activityDelta("v", [], a2)),
    refused: "owner-mismatch",
    at: 2,
  },
  {
    says: "11: a snapshot that does not replace, of another owner, is the producer's fault alone",
    stream: run(activity("v", a1), activity("v", { replace: false, ...a2 })),
    messages: [activityMessage("v", a1)],
    producer: "owner-mismatch",
  },
  {
    says: "11: one that replaces takes the activity over",
    stream: run(activity("v", a1), activity("v", a2), activityDelta("v", [], a2)),
    messages: [activityMessage("v", a2)],
  },
  {
    says: "11: the new owner counts",
    stream: run(activity("v", a1), activity("v"), activityDelta("v", [], a1)),
    refused: "owner-mismatch",
    at: 3,
  },
  ...[
    textChunk({ delta: "x" }),
    callChunk({ delta: "x" }),
    thoughtChunk({ delta: "x" }),
    textChunk(),
    textChunk({ delta: "x", ...a1 }),
  ].map((each) => ({
    says: `12: a first ${String(each["type"])} has an id`,
    stream: run(each),
    refused: "chunk-without-id",
    at: 1,
  })),
  {
    says: "12: a first tool chunk has a name",
    stream: run(callChunk({ toolCallId: "c", delta: "{}" })),
    refused: "chunk-without-id",
    at: 1,
  },
  ...(
    [
      ["role", textChunk({ messageId: "m", role: "user", delta: "x" }), { role: "assistant" }],
      ["role, absent for assistant", textChunk({ messageId: "m", delta: "x" }), { role: "user" }],
      ["name", textChunk({ messageId: "m", name: "n", delta: "x" }), { name: "o" }],
      ["name after none", textChunk({ messageId: "m", delta: "x" }), { name: "o" }],
      ["toolCallName", callChunk({ toolCallId: "c", toolCallName: "f", delta: "{" }), { toolCallName: "g" }],
      [
        "parentMessageId",
        callChunk({ toolCallId: "c", toolCallName: "f", parentMessageId: "m" }),
        { parentMessageId: "n" },
      ],
      [
        "parentMessageId after none",
        callChunk({ toolCallId: "c", toolCallName: "f" }),
        { parentMessageId: "n" },
      ],
    ] as const
  ).map(([what, first, second]) => ({
    says: `13: a continuation with another ${what}`,
    stream: run(first, event(first["type"] as string, second)),
    refused: "chunk-conflict",
    at: 2,
  })),
  {
    says: "13: the same values may be repeated, an absent role as assistant",
    stream: run(
      textChunk({ messageId: "m", name: "n", delta: "x" }),
      textChunk({ messageId: "m", name: "n", role: "assistant", delta: "y" }),
      callChunk({ toolCallId: "c", toolCallName: "f", parentMessageId: "m" }),
      callChunk({ toolCallId: "c", toolCallName: "f", parentMessageId: "m" }),
    ),
  },
  {
    says: "14: neither id nor tag, and several lanes hold the kind",
    stream: run(
      textChunk({ messageId: "m", delta: "x", ...a1 }),
      textChunk({ messageId: "n", delta: "x", ...a2 }),
      textChunk({ delta: "?" }),
    ),
    refused: "chunk-ambiguous",
    at: 3,
  },
  {
    says: "14: the parent's lane comes first",
    stream: run(
      textChunk({ messageId: "m", delta: "x", ...a1 }),
      textChunk({ messageId: "n", delta: "x", ...a2 }),
      textChunk({ messageId: "o", delta: "x" }),
      textChunk({ delta: "!" }),
    ),
    messages: [
      assistant("m", { content: "x", ...a1 }),
      assistant("n", { content: "x", ...a2 }),
      assistant("o", { content: "x!" }),
    ],
  },
  {
    says: "15: an interrupt id twice",
    stream: [started(), finished(interrupt("i", "i"))],
    refused: "invalid-outcome",
    at: 1,
  },
  {
    says: "15: pendingToolCallIds other than the unanswered calls are the producer's fault",
    stream: [started(), ...call("c"), finished({ outcome: { type: "success", pendingToolCallIds: ["d"] } })],
    view: { pendingToolCallIds: ["d"] },
    producer: "invalid-outcome",
  },
  {
    says: "15: also in another order than the calls'",
    stream: [
      started(),
      ...call("c"),
      ...call("d"),
      finished({ outcome: { type: "success", pendingToolCallIds: ["d", "c"] } }),
    ],
    producer: "invalid-outcome",
  },
  {
    says: "15: an empty list says nothing",
    stream: [started(), ...call("c"), finished({ outcome: { type: "success", pendingToolCallIds: [] } })],
    view: { pendingToolCallIds: ["c"] },
  },
  {
    says: "15: interrupts on a success are stripped",
    stream: [started(), finished({ outcome: { ...(interrupt("i")["outcome"] as Json), type: "success" } })],
    warned: ["unknown-property"],
    paths: ["outcome.interrupts"],
    view: { status: "finished", interrupts: [] },
  },
  {
    says: "15: an unknown type is stripped and reads as success",
    stream: [started(), finished({ outcome: { type: "parked" } })],
    warned: ["unknown-value"],
    paths: ["outcome"],
    view: { status: "finished", outcome: { type: "success" } },
  },
  { says: "17: the stream ends in a run", stream: [started(), ...text("m", "x")], refused: "truncated" },
  { says: "17: the stream is empty", stream: [], refused: "truncated" },
  { says: "17: a second run is cut", stream: [...run(), again("r2")], refused: "truncated" },
];

const legal: Sentence[] = [
  {
    says: "a START for a closed id appends",
    stream: run(
      text("m", "a"),
      text("m", "b"),
      call("c", '{"a"'),
      call("c", ":1}"),
      thought("q", "a"),
      thought("q", "b"),
      spanStart("p"),
      spanEnd("p"),
      spanStart("p"),
      spanEnd("p"),
      stepStart("s"),
      stepEnd("s"),
      stepStart("s"),
      stepEnd("s"),
    ),
    messages: [
      assistant("m", { content: "ab" }),
      assistant("c", { toolCalls: [called("c", '{"a":1}')] }),
      reasoning("q", "ab"),
    ],
  },
  { says: "RUN_ERROR first", stream: [failed()], view: { status: "failed", error: { message: "boom" } } },
  {
    says: "RUN_ERROR first, then a run",
    stream: [failed(), ...run()],
    view: { status: "finished", error: undefined },
  },
  {
    says: "RUN_ERROR after RUN_FINISHED: the run counts as failed",
    stream: [...run(), failed()],
    view: { status: "failed" },
  },
  {
    says: "a new run after either end: nothing stays open, ownership resets",
    stream: [
      started(),
      textStart("m", a1),
      callStart("c", a1),
      stepStart("s"),
      failed(),
      again("r2"),
      ...text("m", "x", a2),
      ...call("c"),
      stepStart("s"),
      stepEnd("s"),
      finished({ runId: "r2" }),
    ],
  },
  {
    says: "a new run after a late RUN_ERROR",
    stream: [...run(), failed(), again("r2"), finished({ runId: "r2" })],
    view: { status: "finished", runId: "r2" },
  },
  {
    says: "what a failed run left open does not go on in the next",
    stream: [
      started(),
      textStart("m"),
      failed(),
      again("r2"),
      textContent("m", "x"),
      finished({ runId: "r2" }),
    ],
    refused: "not-open",
    at: 4,
  },
  {
    says: "any interleaving of ids and kinds, and whatever stands alone, inside a run",
    stream: run(
      textStart("m"),
      callStart("c"),
      textStart("n"),
      snapshot({ a: 1 }),
      callArgs("c", "{"),
      raw(),
      textContent("n", "N"),
      custom(),
      callStart("d"),
      activity("v"),
      textContent("m", "M"),
      encrypted("m"),
      callArgs("d", "[]"),
      delta(add("/b", 2)),
      callArgs("c", "}"),
      textEnd("m"),
      callEnd("d"),
      callEnd("c"),
      textEnd("n"),
    ),
    state: { a: 1, b: 2 },
  },
  {
    says: "a call never answered, or never offered",
    stream: run(call("c")),
    view: { pendingToolCallIds: ["c"] },
  },
  {
    says: "a call answered twice",
    stream: run(call("c"), result("c", "t1", "a"), result("c", "t2", "b")),
    messages: [assistant("c", { toolCalls: [called("c")] }), tool("t1", "c", "a"), tool("t2", "c", "b")],
  },
  {
    says: "an unseen parentMessageId",
    stream: run(call("c", "{}", { parentMessageId: "m" })),
    messages: [assistant("m", { toolCalls: [called("c")] })],
  },
  {
    says: "arguments that are no JSON, and none",
    stream: run(call("c", "no"), call("d", "")),
    messages: [
      assistant("c", { toolCalls: [called("c", "no")] }),
      assistant("d", { toolCalls: [called("d", "")] }),
    ],
  },
  { says: "reasoning messages outside spans", stream: run(thought("q", "hm")) },
  {
    says: "a span closed before its message",
    stream: run(spanStart("p"), thoughtStart("p"), spanEnd("p"), thoughtEnd("p")),
  },
  {
    says: "one step name under two owners",
    stream: run(
      stepStart("s"),
      stepStart("s", a1),
      stepStart("s", a2),
      stepEnd("s", a1),
      stepEnd("s"),
      stepEnd("s", a2),
    ),
  },
  {
    says: "an untagged continuation of a tagged item",
    stream: run(text("m", "x", a1), call("c", "{}", a1), thought("q", "x", a1)),
  },
  {
    says: "tags after that subagent has ended",
    stream: run(agentStart("a1"), agentEnd("a1"), text("m", "x", a1)),
  },
  {
    says: "a result has a tag of its own",
    stream: run(call("c", "{}", a1), result("c", "tm", "ok", a2)),
    messages: [assistant("c", { toolCalls: [called("c")], ...a1 }), tool("tm", "c", "ok", a2)],
  },
  { says: "a delta before any snapshot, on {}", stream: run(delta(add("/a", 1))), state: { a: 1 } },
  {
    says: "or on the input's state",
    input: { state: { b: 1 } },
    stream: run(delta(add("/a", 1))),
    state: { a: 1, b: 1 },
  },
  {
    says: "what a subagent opened may outlive it",
    stream: run(agentStart("a1"), textStart("m", a1), agentEnd("a1"), textEnd("m", a1)),
  },
];

const S = "TEXT_MESSAGE_START";
const C = "TEXT_MESSAGE_CONTENT";
const E = "TEXT_MESSAGE_END";
const within = (types: string) => `RUN_STARTED ${types} RUN_FINISHED`;
const chunk = (more: Json = {}) => textChunk({ messageId: "m", delta: "x", ...more });
const tail = (more: Json = {}) => textChunk({ delta: "y", ...more });

const chunks: Sentence[] = [
  {
    says: "lane (1): an id held by a lane, without a tag, is that lane's",
    stream: run(chunk(a1), chunk({ messageId: "n" }), chunk()),
    delivered: within(`${S} ${C} ${S} ${C} ${C} ${E} ${E}`),
    carried: { 5: { messageId: "m", ...a1 } },
  },
  {
    says: "lane (1): an id held by none is its tag's lane's",
    stream: run(chunk(a1), chunk({ messageId: "n", ...a1 })),
    delivered: within(`${S} ${C} ${E} ${S} ${C} ${E}`),
  },
  {
    says: "lane (1): an id held by a lane of another kind opens in the lane of its tag",
    stream: run(chunk(), thoughtChunk({ messageId: "m", delta: "x", ...a1 }), tail()),
    producer: "id-reused",
  },
  {
    says: "lane (2): a tag alone",
    stream: run(chunk(), chunk({ messageId: "n", ...a1 }), tail(a1), tail()),
    messages: [assistant("m", { content: "xy" }), assistant("n", { content: "xy", ...a1 })],
  },
  {
    says: "lane (2): a tag whose lane holds nothing",
    stream: run(chunk(), tail(a1)),
    refused: "chunk-without-id",
    at: 2,
  },
  {
    says: "lane (3): neither, and one other lane holds the kind",
    stream: run(
      callChunk({ toolCallId: "c", toolCallName: "f", delta: "{" }),
      chunk(a1),
      tail(),
      callChunk({ delta: "}" }),
    ),
    messages: [assistant("c", { toolCalls: [called("c")] }), assistant("m", { content: "xy", ...a1 })],
  },
  {
    says: "START carries role, name and tag",
    stream: run(chunk({ role: "user", name: "n", ...a1 })),
    carried: { 1: { messageId: "m", role: "user", name: "n", ...a1 }, 2: { delta: "x", ...a1 } },
    messages: [user("m", "x", { name: "n", ...a1 })],
  },
  {
    says: "START carries parentMessageId and the name",
    stream: run(callChunk({ toolCallId: "c", toolCallName: "g", parentMessageId: "m" })),
    delivered: within("TOOL_CALL_START TOOL_CALL_END"),
    carried: { 1: { toolCallId: "c", toolCallName: "g", parentMessageId: "m" } },
  },
  { says: "the role is assistant by default", stream: run(chunk()), carried: { 1: { role: "assistant" } } },
  {
    says: "reasoning chunks are reasoning messages",
    stream: run(thoughtChunk({ messageId: "q", delta: "a" }), thoughtChunk({ delta: "b" })),
    delivered: within(
      "REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT REASONING_MESSAGE_CONTENT REASONING_MESSAGE_END",
    ),
    messages: [reasoning("q", "ab")],
  },
  {
    says: "an empty delta gives one content",
    stream: run(chunk({ delta: "" })),
    delivered: within(`${S} ${C} ${E}`),
  },
  {
    says: "rawEvent alone gives one with an empty delta",
    stream: run(textChunk({ messageId: "m", rawEvent: 7 }), textChunk({ rawEvent: 8 })),
    delivered: within(`${S} ${C} ${C} ${E}`),
    carried: { 2: { delta: "", rawEvent: 7 }, 3: { delta: "", rawEvent: 8 } },
  },
  {
    says: "metadata alone gives one on a continuation, none on an opener",
    stream: run(textChunk({ messageId: "m", ...meta({ a: 1 }) }), textChunk(meta({ b: 2 }))),
    delivered: within(`${S} ${C} ${E}`),
    carried: { 1: { metadata: { a: 1 } }, 2: { delta: "", metadata: { b: 2 } } },
    messages: [assistant("m", { content: "", ...meta({ a: 1, b: 2 }) })],
  },
  {
    says: "an opener with nothing in it gives START alone, an empty continuation nothing",
    stream: run(textChunk({ messageId: "m" }), textChunk(), textChunk({ messageId: "m" })),
    delivered: within(`${S} ${E}`),
  },
  {
    says: "an empty text is a present id",
    stream: run(chunk({ messageId: "" }), tail(), chunk({ messageId: "" })),
    messages: [assistant("", { content: "xyx" })],
  },
  ...[
    text("n", "x"),
    call("c"),
    [result("c", "tm", "ok")],
    [spanStart("p"), spanEnd("p")],
    thought("q", "x"),
    [snapshot(1)],
    [delta()],
    [stepStart("s"), stepEnd("s")],
    [custom()],
    [callChunk({ toolCallId: "c", toolCallName: "f" })],
    [thoughtChunk({ messageId: "q" })],
    [chunk({ messageId: "n" })],
  ].flatMap((closers) => [
    {
      says: `${String(closers[0]!["type"])} closes its own lane, END before the event`,
      stream: [started(), chunk(), ...closers, failed()],
      carried: { 3: { type: E, messageId: "m" } },
      ...(closers[0]!["type"] === "TOOL_CALL_RESULT" && { producer: "unknown-id" }),
    },
    {
      says: `a tagged ${String(closers[0]!["type"])} closes no other lane`,
      stream: [started(), chunk(), ...closers.map((each) => ({ ...each, ...a1 })), tail(), failed()],
      ...(closers[0]!["type"] === "TOOL_CALL_RESULT" && { producer: "unknown-id" }),
    },
  ]),
  {
    says: "a subagent's end closes its lane",
    stream: run(
      agentStart("a1"),
      chunk(a1),
      agentEnd("a1"),
      agentStart("a2"),
      chunk({ messageId: "n", ...a2 }),
      agentError("a2"),
    ),
    delivered: within(
      `SUBAGENT_STARTED ${S} ${C} ${E} SUBAGENT_FINISHED SUBAGENT_STARTED ${S} ${C} ${E} SUBAGENT_ERROR`,
    ),
  },
  {
    says: "a subagent's end closes no other lane",
    stream: run(agentStart("a1"), chunk(), agentEnd("a1"), tail()),
    messages: [assistant("m", { content: "xy" })],
  },
  {
    says: "RUN_ERROR closes all lanes",
    stream: [started(), chunk(), chunk({ messageId: "n", ...a1 }), failed()],
    delivered: `RUN_STARTED ${S} ${C} ${S} ${C} ${E} ${E} RUN_ERROR`,
  },
  {
    says: "MESSAGES_SNAPSHOT closes all lanes",
    stream: run(chunk(), chunk({ messageId: "n", ...a1 }), restate()),
    delivered: within(`${S} ${C} ${S} ${C} ${E} ${E} MESSAGES_SNAPSHOT`),
  },
  {
    says: "RUN_STARTED closes all lanes, and is then refused",
    stream: [started(), chunk(), again("r2")],
    refused: "duplicate-run-started",
    delivered: `RUN_STARTED ${S} ${C} ${E}`,
  },
  {
    says: "RAW, activities, encrypted values, SUBAGENT_STARTED and unknown events close nothing",
    stream: run(
      chunk(),
      raw(),
      activity("v"),
      activityDelta("v", []),
      encrypted("m"),
      agentStart("a1"),
      event("NEWS"),
      tail(),
      agentEnd("a1"),
    ),
    warned: ["unknown-event"],
    messages: [assistant("m", { content: "xy", encryptedValue: "v" }), activityMessage("v")],
  },
  ...[custom(), snapshot(1), delta()].map((between) => ({
    says: `the second of two chunks around ${String(between["type"])} has no id`,
    stream: run(chunk(), between, tail()),
    refused: "chunk-without-id",
    at: 3,
  })),
  {
    says: "with the id repeated: END, then a legal reopen",
    stream: run(chunk(), custom(), chunk()),
    delivered: within(`${S} ${C} ${E} CUSTOM ${S} ${C} ${E}`),
    messages: [assistant("m", { content: "xx" })],
  },
  {
    says: "a tool chunk repeats its name to reopen",
    stream: run(
      callChunk({ toolCallId: "c", toolCallName: "f" }),
      custom(),
      callChunk({ toolCallId: "c", delta: "{}" }),
    ),
    refused: "chunk-without-id",
    at: 3,
  },
  {
    says: "with its name it reopens",
    stream: run(
      callChunk({ toolCallId: "c", toolCallName: "f", delta: "{" }),
      custom(),
      callChunk({ toolCallId: "c", toolCallName: "f", delta: "}" }),
    ),
    messages: [assistant("c", { toolCalls: [called("c")] })],
  },
  {
    says: "calls in one lane never interleave as chunks",
    stream: run(
      callChunk({ toolCallId: "c", toolCallName: "f" }),
      callChunk({ toolCallId: "d", toolCallName: "f" }),
      callChunk({ toolCallId: "c", delta: "{}" }),
    ),
    refused: "chunk-without-id",
    at: 3,
  },
  ...[textContent("m", "x"), textEnd("m")].map((each) => ({
    says: `an explicit ${String(each["type"])} for a chunk-opened id is not open`,
    stream: run(chunk(), each),
    refused: "not-open",
  })),
  {
    says: "a chunk for an explicitly open id is a duplicate start",
    stream: run(textStart("m"), chunk(), textEnd("m")),
    refused: "duplicate-start",
    at: 2,
  },
  {
    says: "no END is made up where the stream just ends",
    stream: [started(), chunk()],
    refused: "truncated",
    delivered: `RUN_STARTED ${S} ${C}`,
  },
  {
    says: "metadata goes on every event made from the chunk, never on the END before it; the timestamp is lost",
    stream: run(chunk(), chunk({ messageId: "n", timestamp: 1, rawEvent: 1, ...meta({ a: 1 }) })),
    carried: {
      3: { type: E, metadata: undefined, timestamp: undefined },
      4: { type: S, metadata: { a: 1 }, timestamp: undefined, rawEvent: undefined },
      5: { type: C, metadata: { a: 1 }, timestamp: undefined, rawEvent: 1 },
    },
  },
  { says: "a malformed delta is refused", stream: run(chunk({ delta: 1 })), refused: "delta", at: 1 },
  { says: "a null delta is refused", stream: run(chunk({ delta: null })), refused: "delta", at: 1 },
  { says: "a null id is refused", stream: run(chunk({ messageId: null })), refused: "messageId", at: 1 },
  {
    says: "a null parent of a chunk is read as absent",
    stream: run(callChunk({ toolCallId: "c", toolCallName: "f", parentMessageId: null })),
    warned: ["retired-shape"],
  },
];

const enforcement: Sentence[] = [
  {
    says: "an unknown property is stripped, with its path",
    stream: run(
      textStart("m", { color: "red" }),
      textEnd("m"),
      restate(
        assistant("m", {
          toolCalls: [
            called("c", "{}", { more: 1 }),
            { ...called("d"), function: { name: "f", arguments: "", x: 1 } },
          ],
        }),
      ),
    ),
    warned: ["unknown-property"],
    paths: ["color", "messages.0.toolCalls.0.more", "messages.0.toolCalls.1.function.x"],
    carried: { 1: { color: undefined } },
    messages: [assistant("m", { toolCalls: [called("c"), called("d", "")] })],
  },
  {
    says: "an unknown role of a text message is stripped",
    stream: run(textStart("m", { role: "critic" }), textEnd("m")),
    warned: ["unknown-value"],
    paths: ["role"],
    messages: [assistant("m", { content: "" })],
  },
  {
    says: "an unknown role of a chunk is stripped",
    stream: run(chunk({ role: "critic" })),
    warned: ["unknown-value"],
    paths: ["role"],
  },
  {
    says: "a malformed role is fatal",
    stream: run(textStart("m", { role: 1 })),
    refused: "role",
    at: 1,
  },
  {
    says: "a part with an unknown source is removed",
    stream: run(restate(user("u", [sourced({ type: "cloud", value: "x" }), { type: "text", text: "a" }]))),
    warned: ["unknown-value"],
    paths: ["messages.0.content.0"],
    messages: [user("u", [{ type: "text", text: "a" }])],
  },
  {
    says: "an event with an unknown subtype is removed",
    stream: run(text("m", "x"), encrypted("m", { subtype: "step" })),
    warned: ["unknown-value"],
    delivered: within(`${S} ${C} ${E}`),
  },
  {
    says: "an outcome of a subagent that is unknown is stripped",
    stream: run(agentStart("a1"), agentEnd("a1", { outcome: { type: "lost" } })),
    warned: ["unknown-value"],
    paths: ["outcome"],
  },
  {
    says: "a message of unknown role is dropped from the list",
    stream: run(restate({ id: "x", role: "critic", content: 1 }, user("u"))),
    warned: ["unknown-value"],
    paths: ["messages.0"],
    messages: [user("u")],
  },
  {
    says: "a patch operation of unknown op is dropped",
    stream: run(delta({ op: "swap", path: 1 }, add("/a", 1))),
    warned: ["unknown-value"],
    paths: ["delta.0"],
    state: { a: 1 },
  },
  {
    says: "an unknown part of a result is dropped, the call still answered",
    stream: run(call("c"), result("c", "tm", [{ type: "hologram" }])),
    warned: ["unknown-value"],
    paths: ["content.0"],
    messages: [assistant("c", { toolCalls: [called("c")] }), tool("tm", "c", [])],
  },
  ...(
    [
      ["a text for a list", restate(user("u", 1)), "messages.0.content"],
      ["a number for an id", textStart(1 as unknown as string), "messageId"],
      ["an operation without path", delta({ op: "remove" }), "delta.0.path"],
      ["an operation without value", delta({ op: "add", path: "/a" }), "delta.0.value"],
      ["a path that is no pointer", delta(add("a", 1)), "delta.0.path"],
      ["a patch that is no list", event("STATE_DELTA", { delta: {} }), "delta"],
      ["a role that is missing", restate({ id: "x", content: "" }), "messages.0.role"],
      ["a list for an activity's content", activity("v", { content: [] }), "content"],
      ["a text for replace", activity("v", { replace: "false" }), "replace"],
      ["a number for a result", result("c", "tm", 1), "content"],
      ["another role of a result", result("c", "tm", "x", { role: "user" }), "role"],
      ["another reasoning role", thoughtStart("q", { role: "assistant" }), "role"],
      ["a part without its text", result("c", "tm", [{ type: "text" }]), "content.0.text"],
      ["a source without its value", result("c", "tm", [sourced({ type: "url" })]), "content.0.source.value"],
      [
        "data without mimeType",
        result("c", "tm", [sourced({ type: "data", value: "" })]),
        "content.0.source.mimeType",
      ],
      ["a step name that is a number", stepStart(1), "stepName"],
      [
        "a tool message without its call",
        restate({ id: "x", role: "tool", content: "" }),
        "messages.0.toolCallId",
      ],
    ] as const
  ).map(([what, each, refused]) => ({ says: `fatal: ${what}`, stream: run(each), refused, at: 1 })),
  ...[null, 1, "x", [], {}, { type: 1 }, { type: null }].map((value) => ({
    says: `fatal: ${JSON.stringify(value)} is no event`,
    stream: [started(), value],
    refused: typeof value === "object" && value && !Array.isArray(value) ? "type" : "",
    at: 1,
  })),
  {
    says: "an unknown key in metadata, state, activity content, payloads and patch operations is data",
    stream: [
      started(),
      custom({ value: { x: 1 }, ...meta({ x: 1 }) }),
      raw({ event: { x: 1 } }),
      snapshot({ x: 1 }),
      delta({ ...add("/y", 2), note: 1 }),
      activity("v", { content: { x: { y: 1 } } }),
      activityDelta("v", [{ op: "remove", path: "/x", value: 1 }]),
      finished({ result: { x: 1 } }),
    ],
    carried: {
      4: { delta: [{ ...add("/y", 2), note: 1 }] },
      6: { patch: [{ op: "remove", path: "/x", value: 1 }] },
    },
    state: { x: 1, y: 2 },
    view: { result: { x: 1 } },
  },
  { says: "an unknown CUSTOM name is ignored", stream: run(custom({ name: "never heard" })) },
  {
    says: "encryptedValueType of 1.1 is known",
    stream: run(thought("q", "x"), encrypted("q", { encryptedValueType: "anthropic" })),
    messages: [reasoning("q", "x", { encryptedValue: "v", encryptedValueType: "anthropic" })],
  },
];

const views: Sentence[] = [
  {
    says: "TEXT_MESSAGE_START appends, with role, name and owner",
    stream: run(text("m", "x", { role: "system", name: "n", ...a1 })),
    messages: [{ id: "m", role: "system", name: "n", content: "x", ...a1 }],
  },
  {
    says: "a held id keeps role, name and content",
    input: { messages: [user("m", "a", { name: "n" })] },
    stream: run(text("m", "b", { role: "assistant", name: "o" })),
    messages: [user("m", "ab", { name: "n" })],
    producer: "reopen-conflict",
  },
  {
    says: "a call goes to its assistant message",
    stream: run(text("m", "x"), text("n", "y"), call("c", "{}", { parentMessageId: "m" })),
    messages: [assistant("m", { content: "x", toolCalls: [called("c")] }), assistant("n", { content: "y" })],
  },
  {
    says: "a parent that is no assistant is warned about: a new message with id = toolCallId",
    stream: run(text("u", "x", { role: "user" }), call("c", "{}", { parentMessageId: "u" })),
    messages: [user("u", "x"), assistant("c", { toolCalls: [called("c")] })],
    warned: ["role-conflict"],
  },
  {
    says: "no parent: a new message with id = toolCallId",
    stream: run(text("m", "x"), call("c", "{}", a1)),
    messages: [assistant("m", { content: "x" }), assistant("c", { toolCalls: [called("c")], ...a1 })],
  },
  {
    says: "a known call has no second entry, and its arguments append",
    input: { messages: [assistant("m", { toolCalls: [called("c", "[")] })] },
    stream: run(call("c", "]", { parentMessageId: "m" })),
    messages: [assistant("m", { toolCalls: [called("c", "[]")] })],
  },
  {
    says: "a result stands right after the call's message and its tool messages",
    stream: run(
      callStart("c", { parentMessageId: "m" }),
      callEnd("c"),
      callStart("d", { parentMessageId: "m" }),
      callEnd("d"),
      text("n", "later"),
      result("d", "td", "1"),
      result("c", "tc", "2"),
    ),
    messages: [
      assistant("m", { toolCalls: [called("c", ""), called("d", "")] }),
      tool("td", "d", "1"),
      tool("tc", "c", "2"),
      assistant("n", { content: "later" }),
    ],
  },
  {
    says: "a result without its message stands at the end",
    stream: run(text("m", "x"), result("c", "tm", "ok"), text("n", "y")),
    messages: [assistant("m", { content: "x" }), tool("tm", "c"), assistant("n", { content: "y" })],
    producer: "unknown-id",
  },
  { says: "spans build nothing", stream: run(spanStart("p"), spanEnd("p")), messages: [] },
  {
    says: "an encrypted value is set, and its type set or deleted, on a message",
    stream: run(
      text("m", "x"),
      encrypted("m", { encryptedValueType: "a" }),
      thought("q", "y"),
      encrypted("q", { encryptedValueType: "a" }),
      encrypted("q", { encryptedValue: "w" }),
    ),
    messages: [
      assistant("m", { content: "x", encryptedValue: "v", encryptedValueType: "a" }),
      reasoning("q", "y", { encryptedValue: "w" }),
    ],
  },
  {
    says: "likewise on a call, not on its message",
    stream: run(
      call("c"),
      encrypted("c", { subtype: "tool-call", encryptedValueType: "a" }),
      call("d"),
      encrypted("d", { subtype: "tool-call", encryptedValueType: "a" }),
      encrypted("d", { subtype: "tool-call", encryptedValue: "w" }),
    ),
    messages: [
      assistant("c", { toolCalls: [called("c", "{}", { encryptedValue: "v", encryptedValueType: "a" })] }),
      assistant("d", { toolCalls: [called("d", "{}", { encryptedValue: "w" })] }),
    ],
  },
  {
    says: "likewise on a tool message",
    stream: run(call("c"), result("c", "tm", "ok"), encrypted("tm")),
    messages: [assistant("c", { toolCalls: [called("c")] }), tool("tm", "c", "ok", { encryptedValue: "v" })],
  },
  {
    says: "an activity is no target",
    stream: run(activity("v"), encrypted("v")),
    messages: [activityMessage("v")],
    warned: ["unknown-id"],
  },
  {
    says: "an activity that is there: content and type replaced, metadata merged, place kept, owner the snapshot's",
    stream: run(
      activity("v", { ...meta({ a: 1, b: 1 }), ...a1 }),
      text("m", "x"),
      activity("v", { activityType: "plan", content: { left: 2 }, ...meta({ b: 2 }) }),
    ),
    messages: [
      { id: "v", role: "activity", activityType: "plan", content: { left: 2 }, ...meta({ a: 1, b: 2 }) },
      assistant("m", { content: "x" }),
    ],
  },
  {
    says: "replace:false merges metadata only",
    stream: run(
      activity("v", meta({ a: 1 })),
      activity("v", { activityType: "plan", content: {}, replace: false, ...meta({ b: 2 }) }),
    ),
    messages: [activityMessage("v", meta({ a: 1, b: 2 }))],
  },
  {
    says: "replace:false of an unseen one shows it",
    stream: run(activity("v", { replace: false })),
    messages: [activityMessage("v")],
  },
  {
    says: "a delta patches the content, sets the type and merges metadata",
    stream: run(
      activity("v"),
      activityDelta("v", [replace("/found", 2)], { activityType: "plan", ...meta({ a: 1 }) }),
    ),
    messages: [activityMessage("v", { activityType: "plan", content: { found: 2 }, ...meta({ a: 1 }) })],
  },
  {
    says: "a delta for what is no activity is skipped",
    stream: run(text("m", "x"), activityDelta("m", [add("/a", 1)])),
    messages: [assistant("m", { content: "x" })],
    warned: ["unknown-id"],
    producer: "unknown-id",
  },
  {
    says: "a delta that does not apply leaves the content, with a warning",
    stream: run(activity("v"), activityDelta("v", [replace("/found", 2), replace("/no/where", 1)])),
    messages: [activityMessage("v")],
    warned: ["patch-failed"],
  },
  {
    says: "a snapshot replaces held ids in place, appends unseen ones and drops absent ones",
    input: {
      messages: [
        user("u1"),
        assistant("m1", { content: "a" }),
        user("u2"),
        assistant("m2", { content: "b" }),
      ],
    },
    stream: run(restate(user("n1"), assistant("m2", { content: "B" }), user("u1", "HI"), user("n2"))),
    messages: [user("u1", "HI"), assistant("m2", { content: "B" }), user("n1"), user("n2")],
  },
  {
    says: "activities and reasoning stay where the snapshot has none of their role",
    stream: run(activity("v"), text("m", "x"), thought("q", "y"), restate(assistant("m", { content: "X" }))),
    messages: [activityMessage("v"), assistant("m", { content: "X" }), reasoning("q", "y")],
  },
  {
    says: "activities go where it has another one; reasoning stays",
    stream: run(activity("v"), thought("q", "y"), restate(activityMessage("w"))),
    messages: [reasoning("q", "y"), activityMessage("w")],
  },
  {
    says: "reasoning goes where it has another one; activities stay",
    stream: run(activity("v"), thought("q", "y"), restate(reasoning("z", "w"))),
    messages: [activityMessage("v"), reasoning("z", "w")],
  },
  {
    says: "an empty snapshot drops all else",
    stream: run(text("m", "x"), activity("v"), call("c"), restate()),
    messages: [activityMessage("v")],
  },
  {
    says: "omitting an encrypted value withdraws it",
    stream: run(
      text("m", "x"),
      encrypted("m", { encryptedValueType: "a" }),
      restate(assistant("m", { content: "x" })),
    ),
    messages: [assistant("m", { content: "x" })],
  },
  {
    says: "a snapshot sets the owners that later events are checked against",
    stream: run(
      text("m", "x", a1),
      restate(assistant("m", { content: "x", ...a2 })),
      textStart("m", a1),
      textEnd("m"),
    ),
    refused: "owner-mismatch",
    at: 5,
  },
  {
    says: "its owner passes",
    stream: run(
      text("m", "x", a1),
      restate(assistant("m", { content: "x", ...a2 })),
      textStart("m", a2),
      textEnd("m"),
    ),
  },
  {
    says: "also the owner of its calls",
    stream: run(
      restate(assistant("m", { toolCalls: [called("c")], ...a2 })),
      callStart("c", { parentMessageId: "m", ...a1 }),
      callEnd("c"),
    ),
    refused: "owner-mismatch",
    at: 2,
  },
  {
    says: "a message goes on after a snapshot",
    stream: run(
      textStart("m"),
      textContent("m", "a"),
      restate(assistant("m", { content: "A" })),
      textContent("m", "b"),
      textEnd("m"),
    ),
    messages: [assistant("m", { content: "Ab" })],
  },
  {
    says: "RUN_STARTED.input.messages: unseen ids appended, nothing else",
    input: { messages: [user("u1", "mine")] },
    stream: [
      started({
        input: { threadId: "t", runId: "r", messages: [user("u0"), user("u1", "theirs"), user("u2")] },
      }),
      finished(),
    ],
    messages: [user("u1", "mine"), user("u0"), user("u2")],
  },
  {
    says: "RUN_STARTED.input.state starts no state",
    stream: [started({ input: { threadId: "t", runId: "r", messages: [], state: { a: 1 } } }), finished()],
    state: {},
  },
  {
    says: "one id, two roles: text onto an activity is warned about and dropped",
    stream: run(activity("v"), text("v", "x")),
    messages: [activityMessage("v")],
    warned: ["role-conflict"],
    producer: "id-reused",
  },
  {
    says: "one id, two roles: reasoning onto an activity too",
    stream: run(activity("v"), thought("v", "x")),
    messages: [activityMessage("v")],
    warned: ["role-conflict"],
    producer: "id-reused",
  },
  {
    says: "one id, two roles: an activity snapshot replaces any message",
    stream: run(text("m", "x", a1), activity("m")),
    messages: [activityMessage("m")],
    producer: "id-reused",
  },
  {
    says: "one id, two roles: the calls of a message that an activity replaces are gone",
    stream: run(
      callStart("c", { parentMessageId: "m" }),
      activity("m"),
      callArgs("c", "{}"),
      callEnd("c"),
      result("c", "tm", "ok"),
    ),
    messages: [activityMessage("m"), tool("tm", "c")],
    warned: ["unknown-id"],
  },
  {
    says: "one id, two roles: of two messages with one id the first goes on",
    input: { messages: [user("x", "a")] },
    stream: run(call("x"), text("x", "b", { role: "user" }), encrypted("x")),
    messages: [user("x", "ab", { encryptedValue: "v" }), assistant("x", { toolCalls: [called("x")] })],
  },
  {
    says: "a message that a call has created gets text",
    stream: run(
      call("c", "{}", { parentMessageId: "m" }),
      textStart("m"),
      textContent("m", ""),
      textEnd("m"),
    ),
    messages: [assistant("m", { content: "", toolCalls: [called("c")] })],
  },
  { says: "state starts as {}", stream: run(), state: {} },
  { says: "state starts as the input's", input: { state: [1] }, stream: run(), state: [1] },
  ...[null, 0, "", false, [], {}].map((value) => ({
    says: `a snapshot replaces the state by ${JSON.stringify(value)}`,
    input: { state: { a: 1 } },
    stream: run(snapshot(value)),
    state: value,
  })),
  ...[
    [replace("/a", 2), replace("/no/where", 1)],
    [replace("/a", 2), { op: "test", path: "/a", value: 1 }],
    [{ op: "remove", path: "/b" }],
    [{ op: "move", from: "/b", path: "/c" }],
    [{ op: "copy", from: "/b", path: "/c" }],
  ].map((operations) => ({
    says: `a patch that fails at ${String(operations.at(-1)!["op"])} keeps the old state with a warning, and the next applies`,
    input: { state: { a: 1 } },
    stream: run(delta(...operations), delta(add("/z", 1))),
    state: { a: 1, z: 1 },
    warned: ["patch-failed"],
  })),
  {
    says: "the next snapshot is always adopted",
    stream: run(delta(replace("/x", 1)), snapshot({ b: 1 })),
    state: { b: 1 },
    warned: ["patch-failed"],
  },
  {
    says: "state persists across runs; a tag is provenance only",
    stream: [
      ...run(snapshot({ a: 1 })),
      again("r2"),
      delta(add("/b", 2)),
      { ...delta(add("/c", 3)), ...a1 },
      finished({ runId: "r2" }),
    ],
    state: { a: 1, b: 2, c: 3 },
  },
  {
    says: "metadata: per key, the last write wins, no recursion, also at the end",
    stream: run(
      textStart("m", meta({ a: { x: 1 }, b: 1 })),
      textContent("m", "t", meta({ a: { y: 2 } })),
      textEnd("m", meta({ c: null })),
      thoughtStart("q", meta({ a: 1 })),
      thoughtContent("q", "t", meta({ b: 2 })),
      thoughtEnd("q", meta({ c: 3 })),
    ),
    messages: [
      assistant("m", { content: "t", ...meta({ a: { y: 2 }, b: 1, c: null }) }),
      reasoning("q", "t", meta({ a: 1, b: 2, c: 3 })),
    ],
  },
  {
    says: "metadata of a call stands on the call, of a result on the tool message",
    stream: run(
      callStart("c", meta({ a: 1 })),
      callArgs("c", "{}", meta({ b: 2 })),
      callEnd("c", meta({ c: 3 })),
      result("c", "tm", "ok", meta({ d: 4 })),
    ),
    messages: [
      assistant("c", { toolCalls: [called("c", "{}", meta({ a: 1, b: 2, c: 3 }))] }),
      tool("tm", "c", "ok", meta({ d: 4 })),
    ],
  },
  {
    says: "all other metadata stays on its event",
    stream: [
      started(meta({ a: 1 })),
      ...text("m", "x"),
      encrypted("m", meta({ a: 1 })),
      spanStart("p", meta({ a: 1 })),
      spanEnd("p"),
      snapshot({}, meta({ a: 1 })),
      stepStart("s", meta({ a: 1 })),
      stepEnd("s"),
      custom(meta({ a: 1 })),
      raw(meta({ a: 1 })),
      finished(meta({ a: 1 })),
    ],
    messages: [assistant("m", { content: "x", encryptedValue: "v" })],
    state: {},
  },
  {
    says: "one invocation's end closes no other's items",
    stream: run(
      agentStart("a1"),
      agentStart("a2"),
      textStart("m", a2),
      agentError("a1"),
      textEnd("m", a2),
      agentEnd("a2"),
    ),
  },
];

const lifecycleSection: Sentence[] = [
  {
    says: "an absent outcome is success",
    stream: run(),
    view: { status: "finished", outcome: { type: "success" } },
  },
  {
    says: "an interrupt",
    stream: [started(), finished(interrupt("i"))],
    view: { status: "interrupted", interrupts: [{ id: "i", reason: "ask" }] },
  },
  {
    says: "cancelled is neither success nor failure",
    stream: [started(), finished({ outcome: { type: "cancelled" } })],
    view: { status: "cancelled", error: undefined },
  },
  {
    says: "a failed run keeps what came",
    stream: [started(), textStart("m"), textContent("m", "x"), failed({ code: "E" })],
    view: { status: "failed", error: { message: "boom", code: "E" } },
    messages: [assistant("m", { content: "x" })],
  },
  {
    says: "pending calls are derived: started in this run, no result",
    stream: [
      ...run(call("c0")),
      again("r2"),
      ...call("c1"),
      ...call("c2"),
      result("c1", "tm", "ok"),
      finished({ runId: "r2" }),
    ],
    view: { pendingToolCallIds: ["c2"] },
  },
  {
    says: "a list that is not empty is trusted",
    stream: [
      started(),
      ...call("c"),
      ...call("d"),
      finished({ outcome: { type: "success", pendingToolCallIds: ["d"] } }),
    ],
    view: { pendingToolCallIds: ["d"] },
    producer: "invalid-outcome",
  },
  {
    says: "for an interrupt they are always derived",
    stream: [started(), ...call("c"), finished(interrupt("i"))],
    view: { status: "interrupted", pendingToolCallIds: ["c"] },
  },
  {
    says: "a late RUN_ERROR leaves no success behind",
    stream: [started(), ...text("m", "x"), finished({ result: 1 }), failed()],
    view: { status: "failed", outcome: undefined },
    messages: [assistant("m", { content: "x" })],
  },
  {
    says: "parentRunId names the run that spawned this one",
    stream: [started({ parentRunId: "p" }), finished()],
    carried: { 0: { parentRunId: "p" } },
  },
  { says: "steps may overlap", stream: run(stepStart("a"), stepStart("b"), stepEnd("a"), stepEnd("b")) },
  {
    says: "usage of a provider and model",
    stream: [
      started(),
      finished({ usage: [{ provider: "p", model: "m", inputTokens: 3, cachedInputTokens: 1 }] }),
    ],
    view: { usage: [{ provider: "p", model: "m", inputTokens: 3, cachedInputTokens: 1 }] },
  },
  {
    says: "usage also of a failed run",
    stream: [started(), failed({ usage: [{ outputTokens: 1 }] })],
    view: { usage: [{ outputTokens: 1 }] },
  },
  ...[-1, 1.5, "1", null].map((inputTokens) => ({
    says: `tokens are not counted as ${JSON.stringify(inputTokens)}`,
    stream: [started(), finished({ usage: [{ inputTokens }] })],
    refused: "usage.0.inputTokens",
  })),
  {
    says: "all fields of an interrupt",
    stream: [
      started(),
      ...call("c"),
      finished({
        outcome: {
          type: "interrupt",
          interrupts: [
            {
              id: "i",
              reason: "ask",
              message: "ok?",
              toolCallId: "c",
              responseSchema: { type: "boolean" },
              expiresAt: "2026-01-01T00:00:00Z",
              ...a1,
              ...meta({ a: 1 }),
            },
          ],
        },
      }),
    ],
    view: { status: "interrupted" },
  },
  ...["1.0", "1.1", "0.9"].map((protocolVersion) => ({
    says: `version ${protocolVersion} is quiet`,
    stream: [started({ protocolVersion }), finished()],
  })),
  ...["1.2", "1.10", "2.0", "10.0", "1", "1.1.0", "latest", ""].map((protocolVersion) => ({
    says: `version ${JSON.stringify(protocolVersion)} is warned about, and the run goes on`,
    stream: [started({ protocolVersion }), finished()],
    warned: ["protocol-version"],
    view: { status: "finished" },
  })),
];

const hostile = ["__proto__", "constructor", "toString", "", "\ud800", "a b", "hasOwnProperty"];
const hostileSentences: Sentence[] = [
  ...hostile.map((id) => ({
    says: `${JSON.stringify(id)} is an id as any other`,
    stream: run(
      agentStart(id),
      stepStart(id),
      stepStart(id, on(id)),
      text(id, "x", on(id)),
      text(id, "y", on(id)),
      call(id, "{}", { parentMessageId: id }),
      result(id, `${id}t`, "ok"),
      encrypted(id, { subtype: "tool-call" }),
      activity(`${id}v`),
      activityDelta(`${id}v`, [replace("/found", 2)]),
      spanStart(id, on(id)),
      spanEnd(id),
      agentEnd(id),
      stepEnd(id, on(id)),
      stepEnd(id),
    ),
    messages: [
      assistant(id, { content: "xy", toolCalls: [called(id, "{}", { encryptedValue: "v" })], ...on(id) }),
      tool(`${id}t`, id),
      activityMessage(`${id}v`, { content: { found: 2 } }),
    ],
    view: { pendingToolCallIds: [], status: "finished" },
  })),
  ...hostile.map((id) => ({
    says: `${JSON.stringify(id)} is not open by itself`,
    stream: run(textContent(id, "x")),
    refused: "not-open",
    at: 1,
  })),
  ...hostile.map((id) => ({
    says: `${JSON.stringify(id)} holds chunks as any other`,
    stream: run(chunk({ messageId: id, ...on(id) }), tail(on(id))),
    messages: [assistant(id, { content: "xy", ...on(id) })],
  })),
  ...["__proto__", "constructor", "toString"].map((type) => ({
    says: `${type} is an unknown event`,
    stream: run(event(type)),
    warned: ["unknown-event"],
  })),
  ...["__proto__", "constructor", "toString"].map((type) => ({
    says: `${type} is an unknown kind of message, part, operation and outcome`,
    stream: [
      started(),
      restate({ id: "x", role: type }, user("u", [{ type }])),
      delta({ op: type, path: "/a" }),
      textStart("m", { role: type }),
      textEnd("m"),
      finished({ outcome: { type } }),
    ],
    warned: ["unknown-value"],
    messages: [user("u", []), assistant("m", { content: "" })],
  })),
  {
    says: "a property __proto__ is stripped as any unknown one",
    stream: run(
      JSON.parse('{"type":"CUSTOM","name":"x","value":1,"__proto__":{"a":1},"constructor":1}') as Json,
    ),
    warned: ["unknown-property"],
    paths: ["__proto__", "constructor"],
  },
];

const shown = (codes: readonly string[]) => [...new Set(codes)].sort();
const verdict = ({ error }: Played) =>
  error === undefined ? "legal" : (error.rule ?? error.path ?? error.message);

function defineSentences(sentences: readonly Sentence[]): void {
  it.each(sentences.map((sentence) => [sentence.says, sentence] as const))("%s", (_, sentence) => {
    const {
      stream,
      input,
      refused,
      at,
      warned = [],
      paths,
      delivered,
      carried,
      messages,
      state,
      view,
    } = sentence;
    const played = consume(stream, input);

    expect(verdict(played)).toBe(refused ?? "legal");
    if (at !== undefined && played.delivered.length <= at) expect(played.error!.index).toBe(at);
    expect(shown(played.warnings.map(({ code }) => code))).toEqual(shown(warned));
    if (paths) expect(played.warnings.flatMap(({ path }) => path ?? [])).toEqual(paths);
    if (delivered !== undefined) expect(played.delivered.map(({ type }) => type).join(" ")).toBe(delivered);
    for (const [index, fields] of Object.entries(carried ?? {})) {
      expect({ ...played.delivered[Number(index)] }).toEqual(expect.objectContaining(defined(fields)));
      for (const name in fields)
        expect([name, (played.delivered[Number(index)] as unknown as Json)[name]]).toEqual([
          name,
          fields[name],
        ]);
    }
    if (messages) expect(played.view!.messages).toEqual(messages);
    if ("state" in sentence) expect(played.view!.state).toEqual(state);
    if (view) expect(played.view).toMatchObject(view);
  });

  it.each(sentences.map((sentence) => [sentence.says, sentence] as const))(
    "for a producer: %s",
    (_, sentence) => {
      const { stream, input, refused, producer = refused } = sentence;
      expect(verdict(produce(stream, { ...input }))).toBe(producer ?? "legal");
    },
  );
}

const defined = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

describe("the event table", () => defineSentences(everyType));
describe("ordering", () => defineSentences(ordering));
describe("legal although it looks wrong", () => defineSentences(legal));
describe("chunk expansion", () => defineSentences(chunks));
describe("enforcement", () => defineSentences(enforcement));
describe("views", () => defineSentences(views));
describe("lifecycle and versions", () => defineSentences(lifecycleSection));
describe("hostile names", () => defineSentences(hostileSentences));

describe("a producer that knows the input", () => {
  const input = { threadId: "t", runId: "r", messages: [], tools: [{ name: "f", description: "" }] };

  it("4: refuses a run that does not echo the ids that were asked for", () => {
    expect(verdict(produce(run(), { ...input, runId: "q" }))).toBe("run-mismatch");
    expect(verdict(produce(run(), { ...input, threadId: "q" }))).toBe("run-mismatch");
    expect(verdict(produce(run(), input))).toBe("legal");
  });

  it("4: asks it of the first run alone", () => {
    expect(verdict(produce([...run(), again("r2"), finished({ runId: "r2" })], input))).toBe("legal");
  });

  it("16: warns of a result for a tool of the client's", () => {
    const played = produce(run(call("c"), result("c", "tm", "ok")), input);
    expect(verdict(played)).toBe("legal");
    expect(played.warnings.map(({ code, id }) => [code, id])).toEqual([["frontend-tool-answered", "c"]]);
  });

  it("16: says nothing of a result for another tool", () => {
    const stream = run(call("c", "{}", { toolCallName: "own" }), result("c", "tm", "ok"));
    expect(produce(stream, input).warnings).toEqual([]);
  });
});

describe("run input", () => {
  const read = (more: Json) => {
    const warnings: (string | undefined)[] = [];
    try {
      const input = parseRunInput(
        { threadId: "t", runId: "r", messages: [], ...more },
        { onWarning: ({ path }) => warnings.push(path) },
      );
      return { input, warnings };
    } catch (error) {
      return { refused: (error as { path: string }).path, warnings };
    }
  };
  const content = [
    { type: "text", text: "a", id: "1", metadata: { a: 1 } },
    ...["image", "audio", "video", "document"].flatMap((type) => [
      { type, source: { type: "data", value: "AA", mimeType: "x/y" } },
      { type, source: { type: "url", value: "https://x", mimeType: "x/y" }, id: "2", metadata: 1 },
      { type, source: { type: "file", value: "f", provider: "p", mimeType: "x/y" } },
    ]),
  ];

  it("takes the messages of every role with all that they may have", () => {
    const sealed = { encryptedValue: "v", encryptedValueType: "x", metadata: { a: null } };
    const messages = [
      { id: "1", role: "developer", content: "", name: "n", ...sealed },
      { id: "2", role: "system", content: "", name: "n", ...sealed },
      assistant("3"),
      assistant("4", { content: "", name: "n", toolCalls: [called("c", "", sealed)], ...sealed }),
      user("5", "", { name: "n", ...sealed }),
      user("6", content),
      tool("7", "c", content, { error: "e", ...sealed }),
      reasoning("8", "", sealed),
      activityMessage("9", meta({ a: 1 })),
    ];
    expect(read({ messages })).toMatchObject({ input: { messages }, warnings: [] });
  });

  it.each<[says: string, more: Json, paths: string[]]>([
    ["a name of a tool message", { messages: [tool("m", "c", "", { name: "n" })] }, ["messages.0.name"]],
    ["a name of a reasoning message", { messages: [reasoning("m", "", { name: "n" })] }, ["messages.0.name"]],
    [
      "an encrypted value of an activity",
      { messages: [activityMessage("m", { encryptedValue: "v" })] },
      ["messages.0.encryptedValue"],
    ],
    ["a message of unknown role", { messages: [{ id: "m", role: "critic" }] }, ["messages.0"]],
    [
      "a part of unknown kind",
      { messages: [user("m", [{ type: "json", json: {} }])] },
      ["messages.0.content.0"],
    ],
    [
      "a part of unknown source",
      { messages: [user("m", [sourced({ type: "cloud" })])] },
      ["messages.0.content.0"],
    ],
    [
      "an answer of unknown status",
      {
        resume: [
          { interruptId: "i", status: "resolved" },
          { interruptId: "j", status: "later" },
        ],
      },
      ["resume.1"],
    ],
  ])("strips %s, with a warning, and goes on", (_, more, paths) => {
    expect(read(more)).toEqual({ input: expect.anything() as unknown, warnings: paths });
  });

  it.each<[path: string, more: Json]>([
    ["threadId", { threadId: null }],
    ["runId", { runId: undefined }],
    ["messages", { messages: null }],
    ["context", { context: null }],
    ["context.0.description", { context: [{ value: "x" }] }],
    ["tools.0.description", { tools: [{ name: "f" }] }],
    ["tools.0.metadata", { tools: [{ name: "f", description: "", metadata: null }] }],
    ["resume", { resume: {} }],
    ["resume.0.interruptId", { resume: [{ status: "resolved" }] }],
    ["resume.0.status", { resume: [{ interruptId: "i", status: null }] }],
    ["parentRunId", { parentRunId: null }],
    ["protocolVersion", { protocolVersion: 1 }],
    ["messages.0.name", { messages: [user("m", "", { name: null })] }],
    ["messages.0.content", { messages: [assistant("m", { content: [] })] }],
    [
      "messages.0.toolCalls.0.type",
      { messages: [assistant("m", { toolCalls: [{ ...called("c"), type: "tool" }] })] },
    ],
    ["messages.0.content.0.source", { messages: [user("m", [sourced("x")])] }],
  ])("refuses a malformed %s", (path, more) => {
    expect(read(more)).toEqual({ refused: path, warnings: [] });
  });
});
