import {
  concat,
  EMPTY,
  from,
  NEVER,
  of,
  repeat,
  Subject,
  take,
  tap,
  throwError,
  type Observable,
} from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { events } from "../protocol/events.js";
import type { AGUIEvent, Message } from "../protocol/vocabulary.js";
import type { Warning } from "../protocol/warning.js";
import { freezeDeeply } from "./freeze-deeply.fixture.js";
import { generateRun } from "./generated-runs.fixture.js";
import type { RunView } from "./run-view.js";
import { scanRun, type RunViewStart } from "./scan-run.js";

const ids = { threadId: "t", runId: "r" };
const start = events.runStarted(ids);
const finish = (more: Partial<Parameters<typeof events.runFinished>[0]> = {}) =>
  events.runFinished({ ...ids, ...more });
const fail = events.runError({ message: "broken", code: "E1" });
const call = (toolCallId: string, more: object = {}) =>
  events.toolCallStart({ toolCallId, toolCallName: "look", ...more });
const args = (toolCallId: string, delta: string) => events.toolCallArgs({ toolCallId, delta });
const end = (toolCallId: string) => events.toolCallEnd({ toolCallId });
const result = (toolCallId: string, content = "seen") =>
  events.toolCallResult({ messageId: `${toolCallId}-result`, toolCallId, content });

/** All views of a stream, each frozen when it comes. */
function play(stream: readonly AGUIEvent[], initial: RunViewStart = {}) {
  const warnings: Warning[] = [];
  const views: RunView[] = [];
  from(stream.map(freezeDeeply))
    .pipe(scanRun(freezeDeeply(initial), { onWarning: (warning) => warnings.push(warning) }))
    .subscribe((view) => views.push(freezeDeeply(view)));
  return { views, warnings, last: views.at(-1)! };
}

describe("scanRun", () => {
  it("shows a whole run as one plain object with own members", () => {
    const { last } = play([
      start,
      events.textMessageStart({ messageId: "m", role: "assistant" }),
      events.textMessageContent({ messageId: "m", delta: "Looking." }),
      events.textMessageEnd({ messageId: "m" }),
      call("c", { parentMessageId: "m" }),
      args("c", '{"at":1}'),
      end("c"),
      result("c"),
      events.stateSnapshot({ snapshot: { n: 1 } }),
      finish({ result: "done", usage: [{ provider: "p", model: "m", inputTokens: 1 }] }),
    ]);
    expect(Object.getPrototypeOf(last)).toBe(Object.prototype);
    expect({ ...last }).toEqual({
      threadId: "t",
      runId: "r",
      status: "finished",
      messages: [
        {
          id: "m",
          role: "assistant",
          content: "Looking.",
          toolCalls: [{ id: "c", type: "function", function: { name: "look", arguments: '{"at":1}' } }],
        },
        { id: "c-result", role: "tool", toolCallId: "c", content: "seen" },
      ],
      state: { n: 1 },
      toolCalls: [
        {
          id: "c",
          name: "look",
          arguments: '{"at":1}',
          args: { at: 1 },
          status: "complete",
          parentMessageId: "m",
          result: "seen",
        },
      ],
      pendingToolCallIds: [],
      steps: [],
      interrupts: [],
      outcome: { type: "success" },
      result: "done",
      usage: [{ provider: "p", model: "m", inputTokens: 1 }],
      error: undefined,
      warnings: [],
    });
  });

  it.each<[string, AGUIEvent[], Partial<RunView>]>([
    ["running when it starts", [start], { status: "running", threadId: "t", runId: "r", outcome: undefined }],
    [
      "finished with no outcome, which is success",
      [start, finish()],
      { status: "finished", outcome: { type: "success" } },
    ],
    [
      "interrupted with what it waits for",
      [start, finish({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] } })],
      { status: "interrupted", interrupts: [{ id: "i", reason: "ask" }] },
    ],
    [
      "cancelled, neither success nor failure",
      [start, finish({ outcome: { type: "cancelled" } })],
      { status: "cancelled", error: undefined },
    ],
    [
      "failed with the error's words",
      [start, fail],
      { status: "failed", error: { message: "broken", code: "E1" }, outcome: undefined },
    ],
    ["failed when its error comes first", [fail], { status: "failed", runId: undefined }],
    [
      "failed when an error comes late, and waits for nothing any more",
      [start, finish({ outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "ask" }] } }), fail],
      { status: "failed", interrupts: [], outcome: undefined },
    ],
    [
      "finished when the outcome is of an unknown type",
      [start, finish({ outcome: { type: "odd" } as never })],
      { status: "finished" },
    ],
    [
      "running again when the next run starts, without the last one's ends",
      [start, fail, events.runStarted({ threadId: "t", runId: "r2" })],
      { status: "running", runId: "r2", error: undefined, interrupts: [], steps: [], pendingToolCallIds: [] },
    ],
  ])("is %s", (_sentence, stream, expected) => {
    expect(play(stream).last).toMatchObject(expected);
  });

  it("says nothing before the first event that changes it", () => {
    expect(play([events.custom({ name: "x", value: 1 })]).views).toEqual([]);
  });

  it("stays running when its stream was cut, and passes the source's error as it is", () => {
    let error: unknown;
    const statuses: string[] = [];
    concat(
      from([start]),
      throwError(() => "cut"),
    )
      .pipe(scanRun())
      .subscribe({ next: ({ status }) => statuses.push(status), error: (cause: unknown) => (error = cause) });
    expect([statuses, error]).toEqual([["running"], "cut"]);
  });

  it("fills in a call's arguments as they come, and settles them at its end", () => {
    const { views } = play([
      start,
      call("c"),
      args("c", '{"city":"Seo'),
      args("c", 'ul"'),
      args("c", "}"),
      end("c"),
    ]);
    expect(views.slice(1).map(({ toolCalls: [one] }) => [one!.status, one!.arguments, one!.args])).toEqual([
      ["streaming", "", undefined],
      ["streaming", '{"city":"Seo', { city: "Seo" }],
      ["streaming", '{"city":"Seoul"', { city: "Seoul" }],
      ["streaming", '{"city":"Seoul"}', { city: "Seoul" }],
      ["complete", '{"city":"Seoul"}', { city: "Seoul" }],
    ]);
  });

  it.each<[string, AGUIEvent[], object]>([
    ["empty arguments are {}", [call("c"), end("c")], { status: "complete", args: {}, arguments: "" }],
    [
      "an unfinished prefix is incomplete whatever ends it",
      [call("c"), args("c", '{"a":[1,'), end("c")],
      { status: "incomplete", args: { a: [1] } },
    ],
    [
      "what is no JSON is invalid",
      [call("c"), args("c", "{'a':1}"), end("c")],
      { status: "invalid", args: {} },
    ],
    [
      "a cut call is incomplete, though its text is whole",
      [call("c"), args("c", "{}"), fail],
      { status: "incomplete" },
    ],
    [
      "a custom tool's text is its arguments",
      [call("c", { metadata: { "agrx.custom": true } }), args("c", "[1,"), end("c")],
      { status: "complete", args: "[1," },
    ],
    [
      "a custom tool's text shows while it comes",
      [call("c", { metadata: { "agrx.custom": true } }), args("c", "[1,")],
      { status: "streaming", args: "[1," },
    ],
    [
      "a call that the provider ran says so",
      [call("c", { metadata: { "agrx.providerExecuted": true } })],
      { providerExecuted: true },
    ],
    [
      "a call opened again streams on",
      [call("c"), args("c", '{"a"'), end("c"), call("c"), args("c", ":1}")],
      { status: "streaming", args: { a: 1 } },
    ],
    [
      "a call opened again ends whole",
      [call("c"), args("c", '{"a"'), end("c"), call("c"), args("c", ":1}"), end("c")],
      { status: "complete", args: { a: 1 } },
    ],
    [
      "a call is known by the message that holds it",
      [call("c", { parentMessageId: "p" })],
      { parentMessageId: "p" },
    ],
    [
      "a raw control character in an argument is read",
      [call("c"), args("c", '{"a":"1\n2"}'), end("c")],
      { status: "complete", args: { a: "1\n2" } },
    ],
  ])("%s", (_sentence, stream, expected) => {
    expect(play([start, ...stream]).last.toolCalls[0]).toMatchObject(expected);
  });

  it("lags with long arguments, and always shows the last of them", () => {
    const rows = Array.from({ length: 300 }, (_, id) => ({ id }));
    const stream = JSON.stringify({ rows })
      .match(/[^]{1,4}/g)!
      .map((delta) => args("c", delta));
    const { views, last } = play([start, call("c"), ...stream, end("c")]);
    const shown = new Set(views.map(({ toolCalls: [one] }) => one?.args));
    expect(shown.size).toBeLessThan(stream.length / 2);
    expect(last.toolCalls[0]!.args).toEqual({ rows });
  });

  it("lists the calls that are pending: started in this run and not answered, or what the agent named", () => {
    const pending = (stream: AGUIEvent[]) => play(stream).last.pendingToolCallIds;
    const two = [start, call("a"), end("a"), call("b"), end("b")];
    expect(pending(two)).toEqual(["a", "b"]);
    expect(pending([...two, result("a")])).toEqual(["b"]);
    expect(pending([...two, finish()])).toEqual(["a", "b"]);
    expect(pending([...two, finish({ outcome: { type: "success", pendingToolCallIds: [] } })])).toEqual([
      "a",
      "b",
    ]);
    expect(pending([...two, finish({ outcome: { type: "success", pendingToolCallIds: ["b"] } })])).toEqual([
      "b",
    ]);
    expect(pending([...two, finish(), events.runStarted({ threadId: "t", runId: "r2" })])).toEqual([]);
  });

  it("knows the calls and answers of what came before, and of what a snapshot tells", () => {
    const history: Message[] = [
      {
        id: "m",
        role: "assistant",
        toolCalls: [{ id: "old", type: "function", function: { name: "look", arguments: '{"a":1}' } }],
      },
      { id: "r", role: "tool", toolCallId: "old", content: "seen" },
    ];
    const { views, last } = play(
      [
        start,
        call("new"),
        args("new", '{"b":'),
        events.messagesSnapshot({
          messages: [
            ...history,
            {
              id: "n",
              role: "assistant",
              toolCalls: [{ id: "new", type: "function", function: { name: "look", arguments: '{"b":[' } }],
            },
          ],
        }),
        args("new", "2]}"),
        end("new"),
      ],
      { messages: history },
    );
    expect(last.toolCalls).toEqual([
      {
        id: "old",
        name: "look",
        arguments: '{"a":1}',
        args: { a: 1 },
        status: "complete",
        parentMessageId: "m",
        result: "seen",
      },
      {
        id: "new",
        name: "look",
        arguments: '{"b":[2]}',
        args: { b: [2] },
        status: "complete",
        parentMessageId: "n",
      },
    ]);
    expect(last.toolCalls[0]).toBe(views[0]!.toolCalls[0]);
    expect(last.pendingToolCallIds).toEqual(["new"]);
  });

  it("forgets the calls of messages that a snapshot drops", () => {
    expect(play([start, call("c"), events.messagesSnapshot({ messages: [] })]).last.toolCalls).toEqual([]);
  });

  it("shows steps as labels that may overlap, each owner's for itself", () => {
    const step = (stepName: string, subagentRunId?: string) => ({
      stepName,
      ...(subagentRunId !== undefined && { subagentRunId }),
    });
    const { last } = play([
      start,
      events.stepStarted(step("plan")),
      events.stepStarted(step("plan", "s")),
      events.stepStarted(step("act")),
      events.stepFinished(step("plan", "s")),
      events.stepFinished(step("act")),
    ]);
    expect(last.steps).toEqual([
      { name: "plan", status: "running" },
      { name: "plan", status: "finished", subagentRunId: "s" },
      { name: "act", status: "finished" },
    ]);
  });

  it("starts from the input's messages and state, by reference", () => {
    const initial = { messages: [{ id: "u", role: "user", content: "Hi" } as Message], state: { n: 1 } };
    const { last } = play([start], initial);
    expect(last.messages).toBe(initial.messages);
    expect(last.state).toBe(initial.state);
    expect(play([start]).last.state).toEqual({});
    expect(play([start], { state: null }).last.state).toBeNull();
  });

  it("keeps what it had to tolerate, the latest hundred, and tells of each", () => {
    const { last, warnings } = play([
      start,
      ...Array.from({ length: 120 }, (_, i) => args(`c${String(i)}`, "x")),
    ]);
    expect(warnings).toHaveLength(120);
    expect(last.warnings).toEqual(warnings.slice(20));
  });

  it("keeps the reference of every part that an event does not change, and changes nothing it gave away", () => {
    for (let seed = 1; seed <= 40; seed++) {
      const run = generateRun(seed);
      const { views } = play(run.events, {
        messages: run.messages,
        ...(run.state !== undefined && { state: run.state }),
      });
      const copies = views.map((view) => JSON.stringify(view));
      views.forEach((view, i) => {
        const before = views[i - 1];
        if (before === undefined) return;
        for (const part of Object.keys(view) as (keyof RunView)[]) {
          if (view[part] !== before[part])
            expect({ part, value: view[part] }).not.toEqual({ part, value: before[part] });
        }
        const known = new Map(before.toolCalls.map((one) => [one.id, one]));
        for (const one of view.toolCalls) {
          const same = known.get(one.id);
          if (same !== undefined && same !== one) expect(one).not.toEqual(same);
        }
        expect(view).not.toEqual(before);
        expect(JSON.stringify(view)).toBe(copies[i]);
      });
    }
  });

  it("shows the same calls as the messages hold, on generated runs", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const run = generateRun(seed);
      const { last } = play(run.events, { messages: run.messages });
      const held = last.messages.flatMap((message) =>
        message.role === "assistant" ? (message.toolCalls ?? []) : [],
      );
      const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
      expect(last.toolCalls.map(({ id, name, arguments: text }) => ({ id, name, text })).sort(byId)).toEqual(
        held
          .map(({ id, function: called }) => ({ id, name: called.name, text: called.arguments }))
          .sort(byId),
      );
    }
  });
});

describe("scanRun as an operator", () => {
  const marbles = { s: start, F: finish() };
  it("emits, completes, errors and leaves with its source and subscriber", () =>
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
      ({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot<AGUIEvent>("-s--F-|", marbles);
        const view = expect.objectContaining({ status: "running" }) as RunView;
        const done = expect.objectContaining({ status: "finished" }) as RunView;
        expectObservable(source.pipe(scanRun())).toBe("-s--F-|", { s: view, F: done });
        expectObservable(source.pipe(scanRun()), "--!").toBe("-s", { s: view });
        expectSubscriptions(source.subscriptions).toBe(["^-----!", "^-!"]);
        expectObservable(NEVER.pipe(scanRun())).toBe("-");
        expectObservable(EMPTY.pipe(scanRun())).toBe("|");
      },
    ));

  it("has no state between subscribers, stops an endless source, serves one event after the other", () => {
    const seen: unknown[] = [];
    const one = of(start).pipe(scanRun());
    one.subscribe(({ runId }) => seen.push(runId));
    one.subscribe(({ runId }) => seen.push(runId));
    let sent = 0;
    of(start, finish())
      .pipe(
        repeat(),
        tap(() => sent++),
        scanRun(),
        take(3),
      )
      .subscribe();
    const source = new Subject<AGUIEvent>();
    source.pipe(scanRun()).subscribe(({ status }) => {
      seen.push(status);
      if (status === "running") source.next(finish());
    });
    source.next(start);
    expect(seen).toEqual(["r", "r", "running", "finished"]);
    expect(sent).toBe(3);
  });

  it("infers the state's type", () => {
    const views: Observable<RunView<{ n: number }>> = of(start).pipe(scanRun({ state: { n: 1 } }));
    expect(views).toBeDefined();
  });
});
