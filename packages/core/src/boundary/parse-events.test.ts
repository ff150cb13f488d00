import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { concat, EMPTY, from, NEVER, of, range, Subject, map, take, throwError, type Observable } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { Warning } from "../protocol/warning.js";
import type { InvalidEventError } from "./invalid-event-error.js";
import { parseEvents } from "./parse-events.js";

interface Outcome {
  readonly events: AGUIEvent[];
  readonly warnings: Warning[];
  readonly error: InvalidEventError | undefined;
}

function play(values: Iterable<unknown>): Outcome {
  const events: AGUIEvent[] = [];
  const warnings: Warning[] = [];
  let error: InvalidEventError | undefined;
  from(values)
    .pipe(parseEvents({ onWarning: (warning) => warnings.push(warning) }))
    .subscribe({
      next: (event) => events.push(event),
      error: (cause: unknown) => (error = cause as InvalidEventError),
    });
  return { events, warnings, error };
}

const content = (delta: unknown = "x") => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
const snapshot = (...messages: unknown[]) => ({ type: "MESSAGES_SNAPSHOT", messages });
const user = (...content: unknown[]) => ({ id: "u", role: "user", content });
const image = (source: unknown, more: object = {}) => ({ type: "image", source, ...more });
const url = { type: "url", value: "https://example.com/a.png" };
const finished = (more: object) => ({ type: "RUN_FINISHED", threadId: "t", runId: "r", ...more });

describe("parseEvents", () => {
  it("passes a good event as the very same object", () => {
    const events = [
      { type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion: "1.1" },
      content(),
      { type: "STATE_SNAPSHOT", snapshot: null },
      { type: "CUSTOM", name: "mine", value: { type: "hologram", null: null }, metadata: { a: null } },
      snapshot(user({ type: "text", text: "a" }, image(url))),
      finished({ outcome: { type: "success", pendingToolCallIds: ["c"] } }),
    ];
    const { events: passed, warnings, error } = play(events);
    expect(error).toBeUndefined();
    expect(warnings).toEqual([]);
    passed.forEach((event, i) => expect(event).toBe(events[i]));
    expect(passed).toHaveLength(events.length);
  });

  it.each<[title: string, given: unknown, kept: unknown, code: string, path: string | undefined]>([
    ["drops an event of an unknown type", { type: "FUTURE" }, undefined, "unknown-event", undefined],
    [
      "drops a thinking event that never was one",
      { type: "THINKING_CONTENT" },
      undefined,
      "unknown-event",
      undefined,
    ],
    [
      "drops an event named as a member of Object",
      { type: "toString" },
      undefined,
      "unknown-event",
      undefined,
    ],
    ["strips an unknown property", { ...content(), mood: "good" }, content(), "unknown-property", "mood"],
    [
      "strips a property named as a member of Object",
      { ...content(), constructor: 1 },
      content(),
      "unknown-property",
      "constructor",
    ],
    [
      "strips a property named __proto__ without setting a prototype",
      JSON.parse('{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x","__proto__":{"evil":1}}'),
      content(),
      "unknown-property",
      "__proto__",
    ],
    [
      "strips an unknown property of a message",
      snapshot({ id: "a", role: "assistant", mood: 1 }),
      snapshot({ id: "a", role: "assistant" }),
      "unknown-property",
      "messages.0.mood",
    ],
    [
      "strips an unknown role of a text message, which is optional",
      { type: "TEXT_MESSAGE_START", messageId: "m", role: "narrator" },
      { type: "TEXT_MESSAGE_START", messageId: "m" },
      "unknown-value",
      "role",
    ],
    [
      "strips an unknown outcome, so that it reads as success",
      finished({ outcome: { type: "paused", since: 1 } }),
      finished({}),
      "unknown-value",
      "outcome",
    ],
    [
      "drops an encrypted value of an unknown subtype, which is required",
      { type: "REASONING_ENCRYPTED_VALUE", subtype: "dream", entityId: "e", encryptedValue: "v" },
      undefined,
      "unknown-value",
      undefined,
    ],
    [
      "drops a message of an unknown role from its list",
      snapshot({ id: "n", role: "narrator" }, user({ type: "text", text: "a" })),
      snapshot(user({ type: "text", text: "a" })),
      "unknown-value",
      "messages.0",
    ],
    [
      "drops an unknown part from its list",
      snapshot(user({ type: "text", text: "a" }, { type: "hologram" }, { type: "text", text: "b" })),
      snapshot(user({ type: "text", text: "a" }, { type: "text", text: "b" })),
      "unknown-value",
      "messages.0.content.1",
    ],
    [
      "drops a part with an unknown source whole, and does not mind what else is in it",
      snapshot(user(image({ type: "telepathy" }, { id: 42, mood: 1 }))),
      snapshot(user()),
      "unknown-value",
      "messages.0.content.0",
    ],
    [
      "drops an unknown patch operation and keeps the rest of the patch",
      { type: "STATE_DELTA", delta: [{ op: "increment" }, { op: "remove", path: "/a" }] },
      { type: "STATE_DELTA", delta: [{ op: "remove", path: "/a" }] },
      "unknown-value",
      "delta.0",
    ],
    [
      "reads null for a result that was left out",
      finished({ result: null }),
      finished({}),
      "retired-shape",
      "result",
    ],
    [
      "reads null for an outcome that was left out",
      finished({ outcome: null }),
      finished({}),
      "retired-shape",
      "outcome",
    ],
    [
      "reads null for a parent message that was left out",
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: null },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f" },
      "retired-shape",
      "parentMessageId",
    ],
    [
      "reads null for a part's metadata that was left out",
      snapshot(user(image(url, { metadata: null }))),
      snapshot(user(image(url))),
      "retired-shape",
      "messages.0.content.0.metadata",
    ],
    [
      "reads a binary part with data as a media part",
      snapshot(user({ type: "binary", mimeType: "audio/wav", data: "AAAA", filename: "a.wav" })),
      snapshot(
        user({
          type: "audio",
          source: { type: "data", value: "AAAA", mimeType: "audio/wav" },
          metadata: { filename: "a.wav" },
        }),
      ),
      "retired-shape",
      "messages.0.content.0",
    ],
    [
      "reads a binary part of another kind as a document",
      snapshot(user({ type: "binary", mimeType: "application/pdf", url: "https://example.com/a" })),
      snapshot(
        user({
          type: "document",
          source: { type: "url", value: "https://example.com/a", mimeType: "application/pdf" },
        }),
      ),
      "retired-shape",
      "messages.0.content.0",
    ],
    [
      "drops a binary part that only names an id",
      snapshot(user({ type: "binary", mimeType: "image/png", id: "file-1" })),
      snapshot(user()),
      "unknown-value",
      "messages.0.content.0",
    ],
    [
      "warns of a newer version",
      { type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion: "1.10" },
      { type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion: "1.10" },
      "protocol-version",
      "protocolVersion",
    ],
    [
      "warns of a version that it cannot read",
      { type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion: "draft" },
      { type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion: "draft" },
      "protocol-version",
      "protocolVersion",
    ],
  ])("%s, with a warning", (_title, given, kept, code, path) => {
    const before = structuredClone(given);
    const { events, warnings, error } = play([content(), given]);
    expect(error).toBeUndefined();
    expect(events.slice(1)).toEqual(kept === undefined ? [] : [kept]);
    expect(warnings).toEqual([
      { code, index: 1, message: expect.stringContaining("(event 1)"), ...(path !== undefined && { path }) },
    ]);
    expect(given).toEqual(before); // what came is never changed
  });

  it.each(["1.1", "1.0", "0.9"])("takes version %s without a word", (protocolVersion) => {
    expect(play([{ type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion }]).warnings).toEqual([]);
  });

  it("keeps 1.1's encryptedValueType wherever an encrypted value may stand", () => {
    const events = [
      {
        type: "REASONING_ENCRYPTED_VALUE",
        subtype: "message",
        entityId: "e",
        encryptedValue: "v",
        encryptedValueType: "signature",
      },
      snapshot({ id: "a", role: "reasoning", content: "", encryptedValue: "v", encryptedValueType: "k" }),
    ];
    expect(play(events)).toEqual({ events, warnings: [], error: undefined });
  });

  it.each<[title: string, given: unknown, path: string, type: string | undefined]>([
    ["a number as text", content(42), "delta", "TEXT_MESSAGE_CONTENT"],
    ["null as text", content(null), "delta", "TEXT_MESSAGE_CONTENT"],
    ["a missing field", { type: "TEXT_MESSAGE_CONTENT", messageId: "m" }, "delta", "TEXT_MESSAGE_CONTENT"],
    [
      "a whole optional field that is null",
      { ...content(), metadata: null },
      "metadata",
      "TEXT_MESSAGE_CONTENT",
    ],
    ["a timestamp with a fraction", { ...content(), timestamp: 1.5 }, "timestamp", "TEXT_MESSAGE_CONTENT"],
    [
      "a timestamp beyond the safe integers",
      { ...content(), timestamp: 2 ** 53 },
      "timestamp",
      "TEXT_MESSAGE_CONTENT",
    ],
    [
      "a number where a name of a set is due",
      { type: "TEXT_MESSAGE_START", messageId: "m", role: 1 },
      "role",
      "TEXT_MESSAGE_START",
    ],
    [
      "another role than reasoning",
      { type: "REASONING_MESSAGE_START", messageId: "m", role: "assistant" },
      "role",
      "REASONING_MESSAGE_START",
    ],
    ["an array as outcome", finished({ outcome: [{ type: "interrupt" }] }), "outcome", "RUN_FINISHED"],
    ["an outcome without a type", finished({ outcome: {} }), "outcome.type", "RUN_FINISHED"],
    [
      "a pointer that is none",
      { type: "STATE_DELTA", delta: [{ op: "remove", path: "a" }] },
      "delta.0.path",
      "STATE_DELTA",
    ],
    [
      "a patch operation without its value",
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/a" }] },
      "delta.0.value",
      "STATE_DELTA",
    ],
    ["a negative count", finished({ usage: [{ inputTokens: -1 }] }), "usage.0.inputTokens", "RUN_FINISHED"],
    [
      "a malformed message of the echoed input",
      {
        type: "RUN_STARTED",
        threadId: "t",
        runId: "r",
        input: { threadId: "t", runId: "r", messages: [{ id: "a", role: "user" }] },
      },
      "input.messages.0.content",
      "RUN_STARTED",
    ],
    [
      "a binary part without a MIME type",
      snapshot(user({ type: "binary", data: "AA" })),
      "messages.0.content.0.source.mimeType",
      "MESSAGES_SNAPSHOT",
    ],
    [
      "an activity whose content is an array",
      { type: "ACTIVITY_SNAPSHOT", messageId: "m", activityType: "a", content: [] },
      "content",
      "ACTIVITY_SNAPSHOT",
    ],
    ["an event without a type", { messageId: "m" }, "type", undefined],
    ["an event whose type is a number", { type: 7 }, "type", undefined],
    ["null", null, "", undefined],
    ["a string", "data", "", undefined],
    ["an array", [content()], "", undefined],
  ])("refuses %s and says where", (_title, given, path, type) => {
    const { events, error } = play([content(), given, content()]);
    expect(events).toHaveLength(1);
    expect(error).toMatchObject({ name: "InvalidEventError", code: "invalid-event", path, index: 1, type });
    expect(error!.message).toContain("event 1");
    if (path !== "") expect(error!.message).toContain(path);
  });

  it("says nothing of a payload", () => {
    const secret = "sk-secret";
    const { warnings, error } = play([
      { ...content(), futureProp: secret },
      snapshot({ id: secret, role: "user", content: { text: secret } }),
    ]);
    expect(JSON.stringify([warnings, error, error!.message])).not.toContain(secret);
  });

  it("cuts a name from outside that is as long as a payload", () => {
    const name = "x".repeat(1_000_000);
    const { warnings } = play([{ type: name }, { ...content(), [name]: 1 }]);
    for (const warning of warnings) expect(JSON.stringify(warning).length).toBeLessThan(400);
    expect(warnings).toHaveLength(2);
  });

  it("tells the warnings of an event before it refuses it", () => {
    const { warnings, error } = play([{ ...content(1), mood: 1 }]);
    expect(warnings.map((warning) => warning.code)).toEqual(["unknown-property"]);
    expect(error).toBeDefined();
  });

  it("forgets what it found inside a part that it drops", () => {
    // The id of the dropped part is malformed, its unknown property would be worth a warning.
    const bad = { id: 42, mood: 1, type: "image", source: { type: "telepathy" } };
    const { events, warnings, error } = play([snapshot(user(bad))]);
    expect(error).toBeUndefined();
    expect(events).toEqual([snapshot(user())]);
    expect(warnings.map((warning) => warning.code)).toEqual(["unknown-value"]);
  });

  describe("with thinking events", () => {
    const thinking = [
      { type: "RUN_STARTED", threadId: "t", runId: "r" },
      { type: "THINKING_START", title: "Working" },
      { type: "THINKING_TEXT_MESSAGE_START" },
      { type: "THINKING_TEXT_MESSAGE_CONTENT", delta: "Let me see." },
      { type: "THINKING_TEXT_MESSAGE_END" },
      { type: "THINKING_TEXT_MESSAGE_START", timestamp: 1 },
      { type: "THINKING_TEXT_MESSAGE_END" },
      { type: "THINKING_END" },
    ];

    it("gives reasoning events with ids of the run, the same every time", () => {
      const { events, warnings, error } = play(thinking);
      expect(error).toBeUndefined();
      expect(events.slice(1)).toEqual([
        { type: "REASONING_START", messageId: "r-thinking-1" },
        { type: "REASONING_MESSAGE_START", messageId: "r-thinking-2", role: "reasoning" },
        { type: "REASONING_MESSAGE_CONTENT", messageId: "r-thinking-2", delta: "Let me see." },
        { type: "REASONING_MESSAGE_END", messageId: "r-thinking-2" },
        { type: "REASONING_MESSAGE_START", messageId: "r-thinking-3", role: "reasoning", timestamp: 1 },
        { type: "REASONING_MESSAGE_END", messageId: "r-thinking-3" },
        { type: "REASONING_END", messageId: "r-thinking-1" },
      ]);
      expect(warnings.map(({ code, index, path }) => [code, index, path])).toEqual([
        ["retired-shape", 1, undefined],
        ["unknown-property", 1, "title"],
        ...[2, 3, 4, 5, 6, 7].map((index) => ["retired-shape", index, undefined]),
      ]);
      expect(play(thinking).events).toEqual(events);
    });

    it("refuses a malformed one as its successor", () => {
      expect(play([{ type: "THINKING_TEXT_MESSAGE_CONTENT" }]).error).toMatchObject({
        path: "delta",
        type: "REASONING_MESSAGE_CONTENT",
      });
    });

    it("gives a continuation that nothing opened an id that is not open", () => {
      expect(play([{ type: "THINKING_END" }]).events).toEqual([
        { type: "REASONING_END", messageId: "thinking-1" },
      ]);
    });
  });

  describe("as an operator", () => {
    const run = (test: (helpers: Parameters<Parameters<TestScheduler["run"]>[0]>[0]) => void) =>
      new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);
    const e = content() as AGUIEvent;
    const values = { e, u: { type: "FUTURE" }, x: content(1) };

    it("drops the unknown, errors at the malformed and leaves the source", () => {
      run(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot("  --e--u--e--x--e--|", values);
        const subs = "        ^----------!      ";
        const expected = "    --e-----e--#      ";
        const error = expect.objectContaining({ code: "invalid-event", index: 3, path: "delta" });
        expectObservable(source.pipe(parseEvents())).toBe(expected, values, error);
        expectSubscriptions(source.subscriptions).toBe(subs);
      });
    });

    it("leaves the source when it is left", () => {
      run(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot("  --e--e--e--|", values);
        const leave = "       ------!     ";
        const expected = "    --e--e-     ";
        expectObservable(source.pipe(parseEvents()), leave).toBe(expected, values);
        expectSubscriptions(source.subscriptions).toBe("^-----!     ");
      });
    });

    it.each<[string, Observable<unknown>, string]>([
      ["never", NEVER, "-"],
      ["empty", EMPTY, "|"],
      ["one", of(content()), "(e|)"],
      ["an error", throwError(() => "broken"), "#"],
      [
        "one and an error",
        concat(
          of(content()),
          throwError(() => "broken"),
        ),
        "(e#)",
      ],
    ])("passes %s on as it is", (_title, source, expected) => {
      run(({ expectObservable }) => {
        expectObservable(source.pipe(parseEvents())).toBe(expected, values, "broken");
      });
    });

    it("ends an endless synchronous source when enough was taken", () => {
      const seen: unknown[] = [];
      range(0, Infinity)
        .pipe(
          map((i) => content(String(i))),
          parseEvents(),
          take(3),
        )
        .subscribe((event) => seen.push(event));
      expect(seen).toHaveLength(3);
    });

    it("counts and mints anew for each subscriber", () => {
      const source = from([{ type: "THINKING_START" }, content(1)]).pipe(parseEvents());
      for (let i = 0; i < 2; i++) {
        const seen: unknown[] = [];
        let index: number | undefined;
        source.subscribe({
          next: (event) => seen.push(event),
          error: (error: unknown) => (index = (error as InvalidEventError).index),
        });
        expect([seen, index]).toEqual([[{ type: "REASONING_START", messageId: "thinking-1" }], 1]);
      }
    });

    it("makes what `onWarning` throws the stream's error", () => {
      let failure: unknown;
      of({ type: "FUTURE" })
        .pipe(
          parseEvents({
            onWarning: () => {
              throw new Error("callback");
            },
          }),
        )
        .subscribe({ error: (error: unknown) => (failure = error) });
      expect(failure).toEqual(new Error("callback"));
    });

    it("stands an `onWarning` that sends the next event", () => {
      const source = new Subject<unknown>();
      const seen: AGUIEvent[] = [];
      source
        .pipe(parseEvents({ onWarning: () => source.next(content("inner")) }))
        .subscribe((event) => seen.push(event));
      source.next({ ...content("outer"), mood: 1 });
      expect(seen).toEqual([content("outer"), content("inner")]);
    });
  });
});

const official = join(__dirname, "../../../../../shared/conformance/official");

(existsSync(official) ? describe : describe.skip)("the protocol's conformance streams of processing", () => {
  interface Fixture {
    stream: unknown[];
    expect: { outcome: string; eventTypes?: string[]; warnings?: string[]; noWarnings?: boolean };
  }

  it.each([
    "malformed-known-field-fatal",
    "unknown-event-dropped",
    "unknown-property-stripped",
    "unknown-outcome-stripped",
    "unknown-outcome-array-fatal",
    "unknown-part-in-message-list",
    "open-object-patch-op-extras",
    "state-delta-unknown-op-dropped",
    "reasoning-message-wrong-role-fatal",
    "subagent-started-missing-name-fatal",
    "tool-result-file-source-passes-through",
    "producer-declares-newer-version-warns",
    "producer-declares-same-version-quiet",
    "producer-declares-uninterpretable-version-warns",
    "era-0-0-45-thinking-translated",
  ])("agree with %s", (name) => {
    const { stream, expect: wanted } = JSON.parse(
      readFileSync(join(official, `${name}.json`), "utf8"),
    ) as Fixture;
    const { events, warnings, error } = play(stream);
    expect(error !== undefined).toBe(wanted.outcome === "failed");
    if (wanted.eventTypes) expect(events.map((event) => event.type)).toEqual(wanted.eventTypes);
    if (wanted.noWarnings) expect(warnings).toEqual([]);
    if (wanted.warnings?.length) expect(warnings.length).toBeGreaterThan(0);
  });
});

if (!existsSync(official)) console.log("Skipped: no conformance streams in ../shared.");
