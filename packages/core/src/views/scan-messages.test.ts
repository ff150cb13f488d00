import { EMPTY, from, map, NEVER, type Observable, of, repeat, Subject, take, tap } from "rxjs";
import { TestScheduler, type RunHelpers } from "rxjs/testing";
import { events } from "../protocol/events.js";
import type { AGUIEvent, Message } from "../protocol/vocabulary.js";
import type { Warning } from "../protocol/warning.js";
import { freezeDeeply } from "./freeze-deeply.fixture.js";
import { generateRun } from "./generated-runs.fixture.js";
import { scanMessages } from "./scan-messages.js";

/** All lists that a stream gives, frozen as they come, and what was warned of. */
function play(stream: readonly AGUIEvent[], initial: readonly Message[] = []) {
  const warnings: Warning[] = [];
  const lists: (readonly Message[])[] = [];
  from(stream.map(freezeDeeply))
    .pipe(scanMessages(freezeDeeply(initial), { onWarning: (warning) => warnings.push(warning) }))
    .subscribe((list) => lists.push(freezeDeeply(list)));
  return { lists, warnings, last: lists.at(-1) ?? initial };
}

const user: Message = { id: "user", role: "user", content: "Hi" };
const open = events.textMessageStart({ messageId: "m", role: "assistant" });
const content = (delta: string, messageId = "m") => events.textMessageContent({ messageId, delta });
const call = (toolCallId: string, parentMessageId?: string) =>
  events.toolCallStart({
    toolCallId,
    toolCallName: "look",
    ...(parentMessageId !== undefined && { parentMessageId }),
  });
const args = (toolCallId: string, delta: string) => events.toolCallArgs({ toolCallId, delta });
const result = (messageId: string, toolCallId: string, text = "seen") =>
  events.toolCallResult({ messageId, toolCallId, content: text });
const activity = (more: Partial<Parameters<typeof events.activitySnapshot>[0]> = {}) =>
  events.activitySnapshot({ messageId: "a", activityType: "plan", content: { items: [1] }, ...more });
const asked = (id: string, text = "", name = "look") => ({
  id,
  type: "function",
  function: { name, arguments: text },
});

/** A rule of the protocol, a stream, and the messages after it; what was held before, and the code warned with. */
const rules: readonly (readonly [
  string,
  readonly AGUIEvent[],
  readonly object[],
  (readonly Message[])?,
  string?,
])[] = [
  [
    "a text message appears when it is opened, with its role, name and owner",
    [events.textMessageStart({ messageId: "m", role: "user", name: "Ada", subagentRunId: "s" })],
    [{ id: "m", role: "user", content: "", name: "Ada", subagentRunId: "s" }],
  ],
  [
    "a text message without a role is the assistant's",
    [events.textMessageStart({ messageId: "m" })],
    [{ id: "m", role: "assistant", content: "" }],
  ],
  [
    "text appends, also when the message is opened again, which keeps role and name",
    [
      open,
      content("one "),
      events.textMessageEnd({ messageId: "m" }),
      events.textMessageStart({ messageId: "m", role: "user", name: "Bob" }),
      content("two"),
    ],
    [{ id: "m", role: "assistant", content: "one two" }],
  ],
  ["text of a message that nobody holds is dropped", [content("lost", "x")], [], [], "unknown-id"],
  [
    "a call joins the assistant message it names",
    [open, call("c", "m"), args("c", '{"a"'), args("c", ":1}"), events.toolCallEnd({ toolCallId: "c" })],
    [{ id: "m", role: "assistant", content: "", toolCalls: [asked("c", '{"a":1}')] }],
  ],
  [
    "a call of an unseen message makes it, under that id, with its owner",
    [
      events.toolCallStart({
        toolCallId: "c",
        toolCallName: "look",
        parentMessageId: "p",
        subagentRunId: "s",
      }),
      events.textMessageStart({ messageId: "p", role: "user" }),
      content("text", "p"),
    ],
    [{ id: "p", role: "assistant", subagentRunId: "s", toolCalls: [asked("c")], content: "text" }],
  ],
  [
    "a call without a parent gets a message under its own id",
    [call("c")],
    [{ id: "c", role: "assistant", toolCalls: [asked("c")] }],
  ],
  [
    "a call whose parent is no assistant's gets a message under its own id",
    [call("c", "user")],
    [user, { id: "c", role: "assistant", toolCalls: [asked("c")] }],
    [user],
    "role-conflict",
  ],
  [
    "a call that starts again is no second one: arguments append, the newer name stands",
    [
      open,
      call("c", "m"),
      args("c", "1"),
      events.toolCallStart({ toolCallId: "c", toolCallName: "draw" }),
      args("c", "2"),
    ],
    [{ id: "m", role: "assistant", content: "", toolCalls: [asked("c", "12", "draw")] }],
    [],
    "renamed",
  ],
  ["arguments of a call that nobody holds are dropped", [args("c", "1")], [], [], "unknown-id"],
  [
    "a result stands behind its call's message and the results there",
    [
      open,
      call("c", "m"),
      call("d", "m"),
      events.textMessageStart({ messageId: "n", role: "assistant" }),
      result("r1", "d"),
      result("r2", "c"),
    ],
    [
      { id: "m", role: "assistant", content: "", toolCalls: [asked("c"), asked("d")] },
      { id: "r1", role: "tool", toolCallId: "d", content: "seen" },
      { id: "r2", role: "tool", toolCallId: "c", content: "seen" },
      { id: "n", role: "assistant", content: "" },
    ],
  ],
  [
    "a result of an unknown call stands at the end",
    [open, result("r", "x"), content("!")],
    [
      { id: "m", role: "assistant", content: "!" },
      { id: "r", role: "tool", toolCallId: "x", content: "seen" },
    ],
  ],
  [
    "a result's parts and owner are its own",
    [
      events.toolCallResult({
        messageId: "r",
        toolCallId: "c",
        content: [{ type: "text", text: "x" }],
        subagentRunId: "s",
      }),
    ],
    [{ id: "r", role: "tool", toolCallId: "c", content: [{ type: "text", text: "x" }], subagentRunId: "s" }],
  ],
  [
    "a reasoning message has the role reasoning, a span builds nothing",
    [
      events.reasoningStart({ messageId: "span" }),
      events.reasoningMessageStart({ messageId: "t", role: "reasoning", subagentRunId: "s" }),
      events.reasoningMessageContent({ messageId: "t", delta: "hm" }),
      events.reasoningMessageEnd({ messageId: "t" }),
      events.reasoningEnd({ messageId: "span" }),
    ],
    [{ id: "t", role: "reasoning", content: "hm", subagentRunId: "s" }],
  ],
  [
    "an encrypted value is set on a message and on a call",
    [
      open,
      call("c", "m"),
      events.reasoningEncryptedValue({ subtype: "message", entityId: "m", encryptedValue: "x" }),
      events.reasoningEncryptedValue({ subtype: "tool-call", entityId: "c", encryptedValue: "y" }),
    ],
    [
      {
        id: "m",
        role: "assistant",
        content: "",
        toolCalls: [{ ...asked("c"), encryptedValue: "y" }],
        encryptedValue: "x",
      },
    ],
  ],
  [
    "an encrypted value for nobody is dropped",
    [events.reasoningEncryptedValue({ subtype: "tool-call", entityId: "x", encryptedValue: "y" })],
    [],
    [],
    "unknown-id",
  ],
  [
    "an encrypted value for an activity is dropped",
    [activity(), events.reasoningEncryptedValue({ subtype: "message", entityId: "a", encryptedValue: "y" })],
    [{ id: "a", role: "activity", activityType: "plan", content: { items: [1] } }],
    [],
    "unknown-id",
  ],
  [
    "an activity's snapshot replaces content, type and owner, and keeps metadata",
    [
      activity({ metadata: { a: 1 }, subagentRunId: "s" }),
      activity({ activityType: "search", content: { b: 1 }, metadata: { b: 2 } }),
    ],
    [{ id: "a", role: "activity", activityType: "search", content: { b: 1 }, metadata: { a: 1, b: 2 } }],
  ],
  [
    "an activity's snapshot with replace: false adds it, or merges metadata only",
    [activity({ replace: false }), activity({ replace: false, content: { b: 1 }, metadata: { b: 2 } })],
    [{ id: "a", role: "activity", activityType: "plan", content: { items: [1] }, metadata: { b: 2 } }],
  ],
  [
    "an activity's snapshot replaces any message of its id, but with replace: false",
    [
      events.activitySnapshot({ messageId: "user", activityType: "x", content: {}, replace: false }),
      events.activitySnapshot({ messageId: "user", activityType: "x", content: {} }),
    ],
    [{ id: "user", role: "activity", activityType: "x", content: {} }],
    [user],
  ],
  [
    "an activity's delta patches its content and sets its type",
    [
      activity(),
      events.activityDelta({
        messageId: "a",
        activityType: "search",
        patch: [{ op: "add", path: "/items/-", value: 2 }],
      }),
    ],
    [{ id: "a", role: "activity", activityType: "search", content: { items: [1, 2] } }],
  ],
  [
    "an activity's delta that does not apply is dropped, its metadata is not",
    [
      activity(),
      events.activityDelta({
        messageId: "a",
        activityType: "search",
        patch: [{ op: "remove", path: "/x" }],
        metadata: { m: 1 },
      }),
    ],
    [{ id: "a", role: "activity", activityType: "plan", content: { items: [1] }, metadata: { m: 1 } }],
    [],
    "patch-failed",
  ],
  [
    "an activity's delta without its activity is dropped",
    [events.activityDelta({ messageId: "user", activityType: "x", patch: [] })],
    [user],
    [user],
    "unknown-id",
  ],
  [
    "text or reasoning onto an activity is dropped",
    [activity(), events.textMessageStart({ messageId: "a" }), content("x", "a")],
    [{ id: "a", role: "activity", activityType: "plan", content: { items: [1] } }],
    [],
    "role-conflict",
  ],
  [
    "a snapshot of messages replaces what is held in place, appends what is new, drops what it leaves out",
    [
      events.messagesSnapshot({
        messages: [
          { id: "new", role: "user", content: "new" },
          { id: "user", role: "user", content: "edited" },
        ],
      }),
    ],
    [
      { id: "user", role: "user", content: "edited" },
      { id: "new", role: "user", content: "new" },
    ],
    [user, { id: "old", role: "system", content: "old" }],
  ],
  [
    "a snapshot without activities or reasoning keeps those held",
    [events.messagesSnapshot({ messages: [user] })],
    [
      { id: "a", role: "activity", activityType: "x", content: {} },
      user,
      { id: "t", role: "reasoning", content: "hm" },
    ],
    [
      { id: "a", role: "activity", activityType: "x", content: {} },
      user,
      { id: "t", role: "reasoning", content: "hm" },
    ],
  ],
  [
    "a snapshot with an activity or reasoning drops the others of that role",
    [events.messagesSnapshot({ messages: [{ id: "b", role: "activity", activityType: "x", content: {} }] })],
    [
      { id: "t", role: "reasoning", content: "hm" },
      { id: "b", role: "activity", activityType: "x", content: {} },
    ],
    [
      { id: "a", role: "activity", activityType: "x", content: {} },
      { id: "t", role: "reasoning", content: "hm" },
    ],
  ],
  [
    "a snapshot that omits an encrypted value withdraws it",
    [events.messagesSnapshot({ messages: [user] })],
    [user],
    [{ ...user, encryptedValue: "x" }],
  ],
  [
    "what a snapshot told goes on",
    [
      open,
      content("one"),
      events.messagesSnapshot({ messages: [user, { id: "m", role: "assistant", content: "ONE" }] }),
      content(" two"),
    ],
    [{ id: "m", role: "assistant", content: "ONE two" }, user],
  ],
  [
    "messages of a run's input are appended where they are unseen",
    [
      events.runStarted({
        threadId: "t",
        runId: "r",
        input: {
          threadId: "t",
          runId: "r",
          messages: [
            { ...user, content: "other" },
            { id: "b", role: "user", content: "b" },
          ],
          tools: [],
          context: [],
        },
      }),
    ],
    [user, { id: "b", role: "user", content: "b" }],
    [user],
  ],
  [
    "metadata merges per key into the message, the last value wins, nothing is merged deeper",
    [
      { ...open, metadata: { a: { x: 1 }, b: 1 } },
      { ...content("t"), metadata: { a: { y: 2 } } },
      events.textMessageEnd({ messageId: "m", metadata: { c: 3 } }),
    ],
    [{ id: "m", role: "assistant", content: "t", metadata: { a: { y: 2 }, b: 1, c: 3 } }],
  ],
  [
    "a call's metadata lands on the call, a result's on the tool message",
    [
      { ...call("c"), metadata: { a: 1 } },
      { ...args("c", "{}"), metadata: { b: 2 } },
      events.toolCallEnd({ toolCallId: "c", metadata: { c: 3 } }),
      { ...result("r", "c"), metadata: { d: 4 } },
    ],
    [
      { id: "c", role: "assistant", toolCalls: [{ ...asked("c", "{}"), metadata: { a: 1, b: 2, c: 3 } }] },
      { id: "r", role: "tool", toolCallId: "c", content: "seen", metadata: { d: 4 } },
    ],
  ],
  [
    "metadata of what builds no message stays on its event",
    [
      open,
      events.stepStarted({ stepName: "s", metadata: { a: 1 } }),
      events.custom({ name: "x", value: 1, metadata: { a: 1 } }),
      events.reasoningEncryptedValue({
        subtype: "message",
        entityId: "m",
        encryptedValue: "x",
        metadata: { a: 1 },
      }),
    ],
    [{ id: "m", role: "assistant", content: "", encryptedValue: "x" }],
  ],
];

describe("scanMessages", () => {
  it.each(rules.map(([sentence, ...rest]) => [sentence, rest] as const))(
    "%s",
    (_sentence, [stream, expected, initial, code]) => {
      const { last, warnings } = play(stream, initial);
      expect(last).toEqual(expected);
      expect(new Set(warnings.map((warning) => warning.code))).toEqual(
        new Set(code === undefined ? [] : [code]),
      );
    },
  );

  it("tells of what it dropped by the event's type, place and id, never by what it held", () => {
    const { warnings } = play([open, content("a secret", "x")]);
    expect(warnings).toEqual([
      {
        code: "unknown-id",
        message: 'TEXT_MESSAGE_CONTENT (event 1, id "x") was dropped: nothing has this id',
        index: 1,
        id: "x",
      },
    ]);
  });

  it("emits after each event that changes the messages and after no other", () => {
    const { lists } = play([
      events.runStarted({ threadId: "t", runId: "r" }),
      open,
      content(""),
      content("x"),
      events.textMessageEnd({ messageId: "m" }),
      events.custom({ name: "x", value: 1 }),
      events.messagesSnapshot({ messages: [{ id: "m", role: "assistant", content: "x" }] }),
      activity(),
      activity(),
      events.activityDelta({ messageId: "a", activityType: "plan", patch: [] }),
    ]);
    expect(lists.map((list) => list.length)).toEqual([1, 1, 2]);
  });

  it("keeps the reference of every message that an event does not change, and changes nothing it gave away", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const run = generateRun(seed);
      const { lists } = play(run.events, run.messages);
      const copies = lists.map((list) => JSON.stringify(list));
      lists.forEach((list, i) => {
        const before = lists[i - 1] ?? run.messages;
        const known = new Map(before.map((message) => [message.id, message]));
        for (const message of list) {
          const same = known.get(message.id);
          if (same !== undefined && same !== message) expect(message).not.toEqual(same);
        }
        expect(JSON.stringify(list)).toBe(copies[i]);
      });
    }
  });

  it("finds what it changes among ten thousand messages, and behind insertions", () => {
    const many: Message[] = Array.from({ length: 10_000 }, (_, i) => ({
      id: `u${String(i)}`,
      role: "user",
      content: "",
    }));
    const first: Message = { id: "first", role: "assistant", toolCalls: [asked("c") as never] };
    const { last } = play(
      [result("r", "c"), content("x", "u9999"), result("r2", "c"), content("y", "u0"), content("z", "u9999")],
      [first, ...many],
    );
    expect(last.slice(0, 4).map(({ id }) => id)).toEqual(["first", "r", "r2", "u0"]);
    expect(last.at(-1)).toEqual({ id: "u9999", role: "user", content: "xz" });
    expect(last[3]).toMatchObject({ id: "u0", content: "y" });
  });
});

const marbles = (test: (helpers: RunHelpers) => void) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);

describe("scanMessages as an operator", () => {
  const stream = { o: open, a: content("a"), b: content("b") };
  const scanned = (source: Observable<AGUIEvent>) =>
    source.pipe(
      scanMessages(),
      map(([message]) => message?.content),
    );

  it("emits with its source, completes and errors with it", () =>
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold<AGUIEvent>("-o-a-b-|", stream);
      expectObservable(scanned(source)).toBe("-x-y-z-|", { x: "", y: "a", z: "ab" });
      expectObservable(scanned(cold<AGUIEvent>("-o-#", stream, "cut"))).toBe("-x-#", { x: "" }, "cut");
      expectSubscriptions(source.subscriptions).toBe("^------!");
    }));

  it("leaves its source with its subscriber", () =>
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot<AGUIEvent>("-o-a-b-|", stream);
      expectObservable(scanned(source), "--!").toBe("-x", { x: "" });
      expectSubscriptions(source.subscriptions).toBe("^-!");
    }));

  it("never, empty, one, and two subscribers", () =>
    marbles(({ expectObservable }) => {
      expectObservable(scanned(NEVER)).toBe("-");
      expectObservable(scanned(EMPTY)).toBe("|");
      const one = scanned(of(open));
      expectObservable(one).toBe("(x|)", { x: "" });
      expectObservable(one).toBe("(x|)", { x: "" });
    }));

  it("stops an endless synchronous source", () => {
    let sent = 0;
    of(open, content("a"))
      .pipe(
        repeat(),
        tap(() => sent++),
        scanMessages(),
        take(3),
      )
      .subscribe();
    expect(sent).toBe(4);
  });

  it("serves what a subscriber sends while it is served after it", () => {
    const source = new Subject<AGUIEvent>();
    const seen: unknown[] = [];
    scanned(source).subscribe((text) => {
      seen.push(text);
      if (text === "") source.next(content("a"));
    });
    source.next(open);
    expect(seen).toEqual(["", "a"]);
  });

  it("errors with what onWarning throws", () => {
    let failure: unknown;
    of(content("x", "nobody"))
      .pipe(
        scanMessages([], {
          onWarning: () => {
            throw new Error("strict");
          },
        }),
      )
      .subscribe({ error: (error: unknown) => (failure = (error as Error).message) });
    expect(failure).toBe("strict");
  });
});
