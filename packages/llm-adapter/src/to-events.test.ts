import { events, EventType, type AGUIEvent, type RunScope, type TokenUsage } from "@agrx/core";
import { verify } from "@agrx/verify";
import { concat, EMPTY, from, map, NEVER, of, range, Subject, take, throwError } from "rxjs";
import type { Delta } from "./delta.js";
import { ProviderError } from "./provider-error.js";
import { toEvents, type ToEventsOptions } from "./to-events.js";

const text = (words: string, fields: object = {}): Delta => ({ type: "text", text: words, ...fields });
const reasoning = (words: string, fields: object = {}): Delta => ({
  type: "reasoning",
  text: words,
  ...fields,
});
const start = (key: string, fields: object = {}): Delta => ({
  type: "tool-call-start",
  key,
  id: `call-${key}`,
  name: "f",
  ...fields,
});
const fragment = (key: string, words: string): Delta => ({ type: "tool-call-fragment", key, text: words });
const end = (key: string): Delta => ({ type: "tool-call-end", key, status: "complete" });
const cut = (key: string, fields: object = {}): Delta => ({
  type: "tool-call-end",
  key,
  status: "incomplete",
  provider: "acme",
  ...fields,
});
const result = (key: string, value: unknown, fields: object = {}): Delta => ({
  type: "tool-result",
  key,
  id: `call-${key}`,
  result: value,
  ...fields,
});
const finish: Delta = { type: "finish", reason: "stop", raw: "stop" };
const failed = new ProviderError({ code: "overloaded", message: "no", retryable: true, provider: "acme" });

/** The answer's events, checked for order in a run; and its error. */
function eventsOf(deltas: readonly Delta[], options?: ToEventsOptions) {
  const seen: AGUIEvent[] = [];
  let error: unknown;
  concat(
    of(events.runStarted({ threadId: "t", runId: "r" })),
    from(deltas).pipe(toEvents(options)),
    of(events.runFinished({ threadId: "t", runId: "r" })),
  )
    .pipe(verify())
    .subscribe({ next: (event) => seen.push(event), error: (cause: unknown) => (error = cause) });
  return { seen: seen.filter(({ type }) => !type.startsWith("RUN_")), error };
}

/** Each event in a word: what it does, and to what. */
function sketch(seen: readonly AGUIEvent[]): string[] {
  return seen.map((event) => {
    const id = "toolCallId" in event ? event.toolCallId : "messageId" in event ? event.messageId : "";
    const said = "delta" in event && typeof event.delta === "string" ? `:${event.delta}` : "";
    return `${event.type.replace("TEXT_MESSAGE_", "T_").replace("TOOL_CALL_", "C_").replace("REASONING_", "R_")} ${id}${said}`;
  });
}

/** A run that gives ids, and remembers what it is told. */
function scope(taken: readonly string[] = []): RunScope & { readonly usage: TokenUsage[] } {
  const calls = new Set(taken);
  const usage: TokenUsage[] = [];
  let messages = 0;
  let made = 0;
  return {
    usage,
    input: { threadId: "t", runId: "r", messages: [], tools: [], context: [], state: {}, forwardedProps: {} },
    threadId: "t",
    runId: "r",
    signal: new AbortController().signal,
    nextMessageId: () => `r-msg-${++messages}`,
    nextToolCallId: () => `r-call-${++made}`,
    claimToolCallId(id) {
      let free = id;
      for (let copy = 2; calls.has(free); copy++) free = `${id}-${copy}`;
      calls.add(free);
      return free;
    },
    addUsage: (tokens) => void usage.push(tokens),
    interrupt: () => {
      throw new Error("not asked for here");
    },
    resumeFor: () => undefined,
  };
}

describe("toEvents: text and reasoning", () => {
  it("makes one message of one text", () => {
    expect(sketch(eventsOf([text("Hel"), text("lo"), finish]).seen)).toEqual([
      "T_START msg-1",
      "T_CONTENT msg-1:Hel",
      "T_CONTENT msg-1:lo",
      "T_END msg-1",
    ]);
  });

  it("begins a message at a new key", () => {
    expect(sketch(eventsOf([text("a", { key: "1" }), text("b", { key: "2" })]).seen)).toEqual([
      "T_START msg-1",
      "T_CONTENT msg-1:a",
      "T_END msg-1",
      "T_START msg-2",
      "T_CONTENT msg-2:b",
      "T_END msg-2",
    ]);
  });

  it("puts reasoning into a span of its own, and ends it where text begins", () => {
    expect(sketch(eventsOf([reasoning("hm"), text("a"), finish]).seen)).toEqual([
      "R_START msg-1",
      "R_MESSAGE_START msg-1",
      "R_MESSAGE_CONTENT msg-1:hm",
      "R_MESSAGE_END msg-1",
      "R_END msg-1",
      "T_START msg-2",
      "T_CONTENT msg-2:a",
      "T_END msg-2",
    ]);
  });

  it("sends a signature as the reasoning's encrypted value, also when it comes after the reasoning has ended", () => {
    const signed = { encryptedValue: "sig", encryptedValueType: "anthropic.signature" };
    for (const deltas of [
      [reasoning("hm", { key: "1" }), reasoning("", { key: "1", ...signed }), text("a")],
      [reasoning("hm", { key: "1" }), text("a"), reasoning("", { key: "1", ...signed })],
    ]) {
      const { seen } = eventsOf(deltas);
      expect(seen.filter((event) => event.type === EventType.REASONING_ENCRYPTED_VALUE)).toEqual(
        [{ type: "REASONING_ENCRYPTED_VALUE", subtype: "message", entityId: "msg-1", ...signed }].map(
          (event) => ({ ...event, encryptedValue: "sig" }),
        ),
      );
    }
  });

  it("gives redacted reasoning a message without words", () => {
    const { seen } = eventsOf([reasoning("", { key: "1", encryptedValue: "data" })]);
    expect(sketch(seen)).toEqual([
      "R_START msg-1",
      "R_MESSAGE_START msg-1",
      "R_ENCRYPTED_VALUE ",
      "R_MESSAGE_END msg-1",
      "R_END msg-1",
    ]);
  });

  it("marks a refusal", () => {
    const { seen } = eventsOf([text("I cannot", { key: "refusal", refusal: true })]);
    expect(seen[0]).toMatchObject({ type: "TEXT_MESSAGE_START", metadata: { "agrx.refusal": true } });
  });

  it("carries citations in the metadata of the text, and tells of those that come too late as custom events", () => {
    const cited = { metadata: { "agrx.citations": ["page"] } };
    expect(eventsOf([text("a"), text("", cited)]).seen[2]).toMatchObject({
      type: "TEXT_MESSAGE_CONTENT",
      delta: "",
      ...cited,
    });
    expect(eventsOf([text("a"), reasoning("b"), text("", cited)]).seen[6]).toMatchObject({
      type: "CUSTOM",
      name: "agrx.citations",
      value: { messageId: "msg-1", value: ["page"] },
    });
  });

  it("joins a surrogate pair that two fragments share, in text and in reasoning", () => {
    const { seen } = eventsOf([
      reasoning("\ud83d"),
      reasoning("\ude00"),
      text("a\ud83d"),
      text("\ude00b"),
      text("\ud83d"),
    ]);
    const deltas = seen.flatMap((event) => ("delta" in event ? [event.delta] : []));
    expect(deltas).toEqual(["😀", "a", "😀b", "\ud83d"]);
  });

  it("makes nothing of empty text", () =>
    expect(eventsOf([text(""), reasoning(""), finish]).seen).toEqual([]));
});

describe("toEvents: tool calls", () => {
  const interleaved = [
    start("1"),
    start("2"),
    fragment("2", "["),
    fragment("1", "{"),
    fragment("1", "}"),
    fragment("2", "]"),
    end("2"),
    end("1"),
  ];
  const first = ["C_START call-1", "C_ARGS call-1:{", "C_ARGS call-1:}", "C_END call-1"];
  const second = ["C_START call-2", "C_ARGS call-2:[", "C_ARGS call-2:]", "C_END call-2"];

  it("lays calls out one after the other by default", () => {
    expect(sketch(eventsOf(interleaved).seen)).toEqual([...first, ...second]);
  });

  it("sends each call whole when asked to", () => {
    expect(sketch(eventsOf(interleaved, { toolCalls: "whole" }).seen)).toEqual([
      "C_START call-2",
      "C_ARGS call-2:[]",
      "C_END call-2",
      "C_START call-1",
      "C_ARGS call-1:{}",
      "C_END call-1",
    ]);
  });

  it("sends everything as it comes when asked to", () => {
    expect(sketch(eventsOf(interleaved, { toolCalls: "live" }).seen)).toEqual([
      "C_START call-1",
      "C_START call-2",
      "C_ARGS call-2:[",
      "C_ARGS call-1:{",
      "C_ARGS call-1:}",
      "C_ARGS call-2:]",
      "C_END call-2",
      "C_END call-1",
    ]);
  });

  it("puts all calls of an answer on one message: the text before them, or one of their own", () => {
    const parents = (deltas: readonly Delta[]) =>
      eventsOf(deltas).seen.flatMap((event) =>
        event.type === EventType.TOOL_CALL_START ? [event.parentMessageId] : [],
      );
    const calls = [start("1"), end("1"), start("2"), end("2")];
    expect(parents([text("a"), ...calls])).toEqual(["msg-1", "msg-1"]);
    expect(parents(calls)).toEqual(["msg-1", "msg-1"]);
  });

  it("says of text after a call which message it continues", () => {
    const { seen } = eventsOf([start("1"), end("1"), text("b")]);
    expect(seen.at(-3)).toMatchObject({
      type: "TEXT_MESSAGE_START",
      messageId: "msg-2",
      metadata: { "agrx.continues": "msg-1" },
    });
  });

  it("adds white space after a call to the message of the call, not to one of its own", () => {
    const { seen } = eventsOf([text("a"), start("1"), end("1"), text("\n"), finish]);
    expect(sketch(seen).slice(-3)).toEqual(["T_START msg-1", "T_CONTENT msg-1:\n", "T_END msg-1"]);
  });

  it("sends a signature as the call's encrypted value, behind its START", () => {
    const signed = { encryptedValue: "sig", encryptedValueType: "google.thought_signature" };
    const { seen } = eventsOf([start("1"), start("2", signed), end("2"), end("1")]);
    expect(sketch(seen).slice(2, 4)).toEqual(["C_START call-2", "R_ENCRYPTED_VALUE "]);
    expect(seen[3]).toEqual({
      type: "REASONING_ENCRYPTED_VALUE",
      subtype: "tool-call",
      entityId: "call-2",
      ...signed,
    });
  });

  it("marks calls with free text", () => {
    expect(eventsOf([start("1", { custom: true }), end("1")]).seen[0]).toMatchObject({
      metadata: { "agrx.custom": true },
    });
  });

  it("marks calls that the provider runs, and gives their results", () => {
    const { seen } = eventsOf([
      start("1", { providerExecuted: true }),
      end("1"),
      result("1", { a: 1 }),
      text("so"),
    ]);
    expect(seen[0]).toMatchObject({ metadata: { "agrx.providerExecuted": true } });
    expect(seen[2]).toEqual({
      type: "TOOL_CALL_RESULT",
      messageId: "msg-2",
      toolCallId: "call-1",
      role: "tool",
      content: '{"a":1}',
      metadata: { "agrx.providerExecuted": true },
    });
    expect(seen[3]).toEqual({ type: "TEXT_MESSAGE_START", messageId: "msg-3", role: "assistant" });
  });

  it("gives results that failed, that are preliminary, and that are parts", () => {
    const image = [{ type: "image" as const, source: { type: "url" as const, value: "https://x/y.png" } }];
    const { seen } = eventsOf([
      start("1", { providerExecuted: true }),
      end("1"),
      result("1", "half", { preliminary: true }),
      result("1", "no", { isError: true }),
      result("2", null, { content: image }),
    ]);
    expect(seen.slice(2)).toMatchObject([
      { type: "CUSTOM", name: "agrx.preliminaryResult", value: { toolCallId: "call-1", result: "half" } },
      { content: "no", metadata: { "agrx.isError": true } },
      { toolCallId: "call-2", content: image },
    ]);
  });

  it("passes what else the provider said as custom events", () => {
    expect(eventsOf([{ type: "custom", name: "openai.images", value: [1] }]).seen).toEqual([
      { type: "CUSTOM", name: "openai.images", value: [1] },
    ]);
  });
});

describe("toEvents: ids", () => {
  it("takes ids from the run: its messages', and its own for calls that have none", () => {
    const { seen } = eventsOf([text("a"), start("1", { synthetic: true }), end("1")], { context: scope() });
    expect(sketch(seen)).toEqual([
      "T_START r-msg-1",
      "T_CONTENT r-msg-1:a",
      "T_END r-msg-1",
      "C_START r-call-1",
      "C_END r-call-1",
    ]);
    expect(seen[3]).not.toHaveProperty("metadata");
  });

  it("renames a call whose id the run has seen, keeps the provider's, and follows its result", () => {
    const { seen } = eventsOf([start("1", { providerExecuted: true }), end("1"), result("1", "x")], {
      context: scope(["call-1"]),
    });
    expect(seen).toMatchObject([
      { toolCallId: "call-1-2", metadata: { "agrx.providerCallId": "call-1" } },
      { toolCallId: "call-1-2" },
      { toolCallId: "call-1-2" },
    ]);
  });

  it("keeps calls of one id apart without a run, too", () => {
    const { seen } = eventsOf([start("1", { id: "c" }), end("1"), start("2", { id: "c" }), end("2")]);
    expect(sketch(seen)).toEqual(["C_START c", "C_END c", "C_START c-2", "C_END c-2"]);
  });

  it("begins its own ids with a prefix", () => {
    const { seen } = eventsOf([text("a"), start("1", { id: "call-1", synthetic: true }), end("1")], {
      idPrefix: "t2-",
    });
    expect(sketch(seen)).toContain("T_START t2-msg-1");
    expect(sketch(seen)).toContain("C_START t2-call-1");
  });
});

describe("toEvents: endings", () => {
  it("gives the last usage to the run, once", () => {
    const context = scope();
    const usage = (outputTokens: number): Delta => ({
      type: "usage",
      usage: { provider: "acme", outputTokens },
    });
    eventsOf([usage(1), text("a"), usage(2), finish], { context });
    expect(context.usage).toEqual([{ provider: "acme", outputTokens: 2 }]);
  });

  it("gives the usage to the run also when the answer fails", () => {
    const context = scope();
    eventsOf(
      [
        { type: "usage", usage: { provider: "acme", outputTokens: 1 } },
        { type: "error", error: failed },
      ],
      { context },
    );
    expect(context.usage).toHaveLength(1);
  });

  it("tells why the model stopped", () => {
    const told: unknown[] = [];
    eventsOf([finish], { onFinish: (delta) => told.push(delta) });
    expect(told).toEqual([finish]);
  });

  it("errors with the provider's error, after it has closed its messages, and ends no call", () => {
    const { seen, error } = eventsOf([text("a"), { type: "error", error: failed }]);
    expect(sketch(seen)).toEqual(["T_START msg-1", "T_CONTENT msg-1:a", "T_END msg-1"]);
    expect(error).toBe(failed);
    const open = eventsOf([start("1"), fragment("1", "{"), cut("1"), { type: "error", error: failed }]);
    expect(sketch(open.seen)).toEqual(["C_START call-1", "C_ARGS call-1:{"]);
    expect(open.error).toBe(failed);
  });

  it.each([
    ["a finish", {}, "incomplete-tool-call", false],
    ["the stream's end", { truncated: true }, "truncated", true],
  ])("errors on a call that was cut by %s", (_, fields, code, retryable) => {
    const { seen, error } = eventsOf([start("1"), fragment("1", '{"secret":'), cut("1", fields)]);
    expect(sketch(seen)).toEqual(["C_START call-1", 'C_ARGS call-1:{"secret":']);
    expect(error).toMatchObject({ name: "ProviderError", code, retryable, provider: "acme" });
    expect(String(error)).toContain('"call-1" (f)');
    expect(String(error)).not.toContain("secret");
  });

  it("ends no call of an answer that holds one that was cut", () => {
    const { seen } = eventsOf([
      start("1"),
      fragment("1", "{}"),
      start("2"),
      fragment("2", "{"),
      cut("2"),
      end("1"),
      finish,
    ]);
    expect(seen.some((event) => event.type === EventType.TOOL_CALL_END)).toBe(false);
    expect(sketch(seen)).toContain("C_START call-2");
  });

  it("errors when deltas stop inside a call", () => {
    expect(eventsOf([start("1"), fragment("1", "{}")]).error).toMatchObject({ code: "truncated" });
  });

  it("ends a call whose text is no JSON, so that its tool answers with the error", () => {
    const { seen, error } = eventsOf([start("1"), fragment("1", "nope"), end("1")]);
    expect(sketch(seen)).toContain("C_END call-1");
    expect(error).toBeUndefined();
  });

  it("closes its messages when its source fails, and passes the error on", () => {
    const cause = new Error("socket");
    const seen: AGUIEvent[] = [];
    let error: unknown;
    concat(
      of(text("a")),
      throwError(() => cause),
    )
      .pipe(toEvents())
      .subscribe({ next: (event) => seen.push(event), error: (each: unknown) => (error = each) });
    expect(sketch(seen)).toEqual(["T_START msg-1", "T_CONTENT msg-1:a", "T_END msg-1"]);
    expect(error).toBe(cause);
  });
});

describe("toEvents: as an operator", () => {
  it("is silent with its source, empty with it, and leaves it at once", () => {
    let seen = 0;
    EMPTY.pipe(toEvents()).subscribe(() => seen++);
    NEVER.pipe(toEvents())
      .subscribe(() => seen++)
      .unsubscribe();
    const source = new Subject<Delta>();
    source
      .pipe(toEvents())
      .subscribe(() => seen++)
      .unsubscribe();
    expect(source.observed).toBe(false);
    expect(seen).toBe(0);
  });

  it("keeps nothing from one subscriber to the next", () => {
    const answer$ = from([text("a"), start("1"), end("1")]).pipe(toEvents());
    const seen: string[][] = [[], []];
    for (const list of seen) answer$.subscribe((event) => list.push(...sketch([event])));
    expect(seen[1]).toEqual(seen[0]);
  });

  it("stops an endless synchronous source when enough has come", () => {
    const seen: AGUIEvent[] = [];
    range(0, Number.MAX_SAFE_INTEGER)
      .pipe(
        map(() => text("a")),
        toEvents(),
        take(3),
      )
      .subscribe((event) => seen.push(event));
    expect(seen).toHaveLength(3);
  });

  it("errors with what a callback throws", () => {
    const thrown = new Error("callback");
    const onFinish = () => {
      throw thrown;
    };
    expect(eventsOf([finish], { onFinish }).error).toBe(thrown);
  });
});
