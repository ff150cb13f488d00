import fc from "fast-check";
import {
  concat,
  EMPTY,
  first,
  from,
  map,
  mergeMap,
  NEVER,
  type Observable,
  of,
  repeat,
  Subject,
  switchMap,
  take,
  tap,
  throwError,
} from "rxjs";
import { TestScheduler, type RunHelpers } from "rxjs/testing";
import { events } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { completedToolCalls } from "./completed-tool-calls.js";
import { groupToolCalls, type GroupedToolCall } from "./group-tool-calls.js";

const S = (id: string, more: object = {}) =>
  events.toolCallStart({ toolCallId: id, toolCallName: `f-${id}`, ...more });
const a = (id: string, delta: string) => events.toolCallArgs({ toolCallId: id, delta });
const E = (id: string) => events.toolCallEnd({ toolCallId: id });
const R = (id: string, content = `result of ${id}`) =>
  events.toolCallResult({ messageId: `m-${id}`, toolCallId: id, content });
const ids = { threadId: "t", runId: "r" };
const F = events.runFinished(ids);
const X = events.runError({ message: "broken" });

/** What a part of a call gives: its values, then how it ends. */
function heard(part: Observable<unknown>): unknown[] {
  const values: unknown[] = [];
  part.subscribe({
    next: (value) => values.push(value),
    error: (error: unknown) => values.push({ error }),
    complete: () => values.push("|"),
  });
  return values;
}

const listen = (call: GroupedToolCall) => ({
  args: heard(call.args$),
  partial: heard(call.partial$),
  call: heard(call.call$),
  result: heard(call.result$),
});

/** The calls of a stream, each listened to from its start, and again after the stream's end. */
function play(stream: Observable<AGUIEvent> | readonly AGUIEvent[]) {
  const groups: GroupedToolCall[] = [];
  const early: ReturnType<typeof listen>[] = [];
  from(stream)
    .pipe(groupToolCalls())
    .subscribe({
      next: (call) => {
        groups.push(call);
        early.push(listen(call));
      },
      error: () => undefined,
    });
  return { groups, early, late: groups.map(listen) };
}

const marbles = (test: (helpers: RunHelpers) => void) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);

describe("groupToolCalls", () => {
  it("gives the parts of each of two interleaved calls, to early and to late subscribers alike", () => {
    const { groups, early, late } = play([
      events.runStarted(ids),
      S("1", { parentMessageId: "m" }),
      a("1", '{"x":"a'),
      S("2"),
      a("2", "{}"),
      E("2"),
      a("1", 'b"}'),
      E("1"),
      R("2"),
      R("1"),
      F,
    ]);
    expect(groups.map(({ id, name }) => [id, name])).toEqual([
      ["1", "f-1"],
      ["2", "f-2"],
    ]);
    expect(early).toEqual([
      {
        args: ['{"x":"a', 'b"}', "|"],
        partial: [{ x: "a" }, { x: "ab" }, "|"],
        call: [
          {
            id: "1",
            name: "f-1",
            arguments: '{"x":"ab"}',
            args: { x: "ab" },
            status: "complete",
            parentMessageId: "m",
          },
          "|",
        ],
        result: ["result of 1", "|"],
      },
      {
        args: ["{}", "|"],
        partial: [{}, "|"],
        call: [{ id: "2", name: "f-2", arguments: "{}", args: {}, status: "complete" }, "|"],
        result: ["result of 2", "|"],
      },
    ]);
    expect(late).toEqual(early);
  });

  it.each<[string, AGUIEvent[], object]>([
    [
      "a call without arguments has {}",
      [S("1"), E("1"), F],
      { args: ["|"], partial: [{}, "|"], result: ["|"] },
    ],
    [
      "a call that is no JSON says so in its status, not as an error",
      [S("1"), a("1", '{"a":1'), a("1", "]"), E("1")],
      {
        partial: [{}, { a: 1 }, "|"],
        call: [expect.objectContaining({ status: "invalid", args: { a: 1 } }), "|"],
      },
    ],
    [
      "a call that ends too early is incomplete",
      [S("1"), a("1", "[1,2"), E("1")],
      { call: [expect.objectContaining({ status: "incomplete", args: [1] }), "|"] },
    ],
    [
      "a call that the run's error cuts is incomplete, though whole",
      [S("1"), a("1", "{}"), X],
      { args: ["{}", "|"], call: [expect.objectContaining({ status: "incomplete" }), "|"], result: ["|"] },
    ],
    [
      "a call that the stream's end cuts is incomplete",
      [S("1"), a("1", "[")],
      { call: [expect.objectContaining({ status: "incomplete", args: [] }), "|"] },
    ],
    [
      "a custom tool's text is its arguments",
      [S("1", { metadata: { "agrx.custom": true } }), a("1", "1 +"), a("1", " 1"), E("1")],
      {
        partial: ["1 +", "1 + 1", "|"],
        call: [expect.objectContaining({ args: "1 + 1", status: "complete" }), "|"],
      },
    ],
    [
      "a call that the provider ran says so",
      [S("1", { metadata: { "agrx.providerExecuted": true } }), E("1")],
      { call: [expect.objectContaining({ providerExecuted: true }), "|"] },
    ],
    [
      "the first of two results counts",
      [S("1"), E("1"), R("1", "one"), R("1", "two")],
      { result: ["one", "|"] },
    ],
  ])("%s", (_sentence, stream, expected) => {
    const { early, late } = play(stream);
    expect(early[0]).toMatchObject(expected);
    expect(late).toEqual(early);
  });

  it("emits a call that is opened again once more, its earlier arguments first", () => {
    const { early } = play([S("1"), a("1", '{"a"'), E("1"), S("1"), a("1", ":1}"), E("1"), R("1")]);
    expect(early.map(({ args, result }) => ({ args, result }))).toEqual([
      { args: ['{"a"', "|"], result: ["|"] },
      { args: ['{"a"', ":1}", "|"], result: ["result of 1", "|"] },
    ]);
    expect(early[1]!.call[0]).toMatchObject({ args: { a: 1 }, status: "complete" });
  });

  it("begins anew with an id that is used in the next run", () => {
    const { early } = play([
      S("1"),
      a("1", "1"),
      E("1"),
      F,
      events.runStarted(ids),
      S("1"),
      a("1", "2"),
      E("1"),
    ]);
    expect(early.map(({ args }) => args)).toEqual([
      ["1", "|"],
      ["2", "|"],
    ]);
  });

  it("drops the events of calls that never started", () => {
    expect(play([a("x", "1"), E("x"), R("x")]).groups).toEqual([]);
  });

  it("sends the source's error to the result and to every part that is open", () => {
    const { early } = play(
      concat(
        from([S("1"), a("1", "[1,"), S("2"), E("2")]),
        throwError(() => "cut"),
      ),
    );
    expect(early[0]).toEqual({
      args: ["[1,", { error: "cut" }],
      partial: [[1], { error: "cut" }],
      call: [{ error: "cut" }],
      result: [{ error: "cut" }],
    });
    expect(early[1]).toMatchObject({ args: ["|"], result: [{ error: "cut" }] });
  });

  it("emits with its source, and completes parts when they are done", () =>
    marbles(({ cold, hot, expectObservable, expectSubscriptions }) => {
      const values = { S: S("1"), a: a("1", "{}"), E: E("1"), R: R("1"), F };
      const source = hot<AGUIEvent>("-S-a-E-R-F-|", values);
      const part = (of$: (call: GroupedToolCall) => Observable<unknown>) =>
        source.pipe(groupToolCalls(), mergeMap(of$));
      expectObservable(
        source.pipe(
          groupToolCalls(),
          map(({ id }) => id),
        ),
      ).toBe("-1---------|");
      expectObservable(part(({ args$ }) => args$)).toBe("---a-------|", { a: "{}" });
      expectObservable(part(({ call$ }) => call$)).toBe("-----c-----|", {
        c: expect.objectContaining({ id: "1" }) as unknown,
      });
      expectObservable(part(({ result$ }) => result$)).toBe("-------r---|", { r: "result of 1" });
      expectObservable(
        source.pipe(
          groupToolCalls(),
          map(() => 1),
        ),
        "--!",
      ).toBe("-1", { 1: 1 });
      const whole = "^----------!";
      expectSubscriptions(source.subscriptions).toBe([whole, whole, whole, whole, "^-!"]);
      expectObservable(NEVER.pipe(groupToolCalls())).toBe("-");
      expectObservable(EMPTY.pipe(groupToolCalls())).toBe("|");
      expectObservable(cold("#").pipe(groupToolCalls() as never)).toBe("#");
    }));

  it("keeps the source for a part that is listened to after its subscriber left, and leaves it then", () =>
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const values = { S: S("1"), a: a("1", "[1"), b: a("1", ",2]"), E: E("1"), F };
      const source = hot<AGUIEvent>("-S-a-b-E-F-|", values);
      const partial = source.pipe(
        groupToolCalls(),
        first(),
        switchMap(({ partial$ }) => partial$),
      );
      expectObservable(partial).toBe("---x-y-|", { x: [], y: [1, 2] });
      expectSubscriptions(source.subscriptions).toBe("^------!");
    }));

  it("stops an endless synchronous source", () => {
    let sent = 0;
    of(S("1"), a("1", "{}"), E("1"), R("1"))
      .pipe(
        repeat(),
        tap(() => sent++),
        groupToolCalls(),
        mergeMap(({ call$ }) => call$),
        take(3),
      )
      .subscribe();
    expect(sent).toBe(11);
  });

  it("keeps the order when a subscriber makes the source send", () => {
    const source = new Subject<AGUIEvent>();
    const seen: unknown[] = [];
    source.pipe(groupToolCalls()).subscribe(({ id, args$, call$ }) => {
      args$.subscribe((delta) => seen.push(delta));
      call$.subscribe(({ args }) => seen.push(args));
      if (id === "1") from([a("1", "[1]"), E("1")]).subscribe((event) => source.next(event));
    });
    source.next(S("1"));
    expect(seen).toEqual(["[1]", [1]]);
  });

  it("has no state between subscribers", () => {
    const calls = of(S("1"), a("1", "1"), E("1")).pipe(
      groupToolCalls(),
      mergeMap(({ args$ }) => args$),
    );
    expect([heard(calls), heard(calls)]).toEqual([
      ["1", "|"],
      ["1", "|"],
    ]);
  });

  it("frees a call when it is done", () => {
    const source = new Subject<AGUIEvent>();
    const subscription = source.pipe(groupToolCalls()).subscribe();
    for (let i = 0; i < 100; i++) {
      for (const event of [S(`c${String(i)}`), E(`c${String(i)}`), R(`c${String(i)}`)]) source.next(event);
    }
    const finalizers = (subscription as unknown as { _finalizers?: unknown[] })._finalizers;
    expect(finalizers?.length ?? 0).toBeLessThan(5);
    subscription.unsubscribe();
  });
});

describe("completedToolCalls", () => {
  const completed = (stream: readonly AGUIEvent[]) => heard(from(stream).pipe(completedToolCalls()));

  it("emits calls whole, in the order in which they end, with their status", () => {
    expect(
      completed([S("1"), a("1", '{"x":'), S("2"), a("2", "["), E("2"), a("1", "1}"), E("1"), F]),
    ).toEqual([
      { id: "2", name: "f-2", arguments: "[", args: [], status: "incomplete" },
      { id: "1", name: "f-1", arguments: '{"x":1}', args: { x: 1 }, status: "complete" },
      "|",
    ]);
  });

  it("does not emit a call that was cut", () => {
    expect(completed([S("1"), a("1", "{}"), X])).toEqual(["|"]);
    expect(completed([S("1"), a("1", "{}")])).toEqual(["|"]);
  });

  it("passes the source's error on", () => {
    expect(
      heard(
        concat(
          from([S("1")]),
          throwError(() => "cut"),
        ).pipe(completedToolCalls()),
      ),
    ).toEqual([{ error: "cut" }]);
  });

  it("moves no argument to another call, whatever the interleaving", () => {
    const texts = fc.array(fc.json({ maxDepth: 2 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.nat()), (jsons, picks) => {
        const lanes = jsons.map((json, i) => {
          const pieces = json.match(/[^]{1,3}/g) ?? [];
          return [S(String(i)), ...pieces.map((piece) => a(String(i), piece)), E(String(i))];
        });
        const stream: AGUIEvent[] = [];
        while (lanes.some((lane) => lane.length > 0)) {
          const left = lanes.filter((lane) => lane.length > 0);
          stream.push(left[picks.next().value! % left.length]!.shift()!);
        }
        const calls = completed(stream).slice(0, -1) as {
          id: string;
          args: unknown;
          arguments: string;
          status: string;
        }[];
        expect(calls).toHaveLength(jsons.length);
        for (const call of calls) {
          const json = jsons[Number(call.id)]!;
          expect([call.arguments, call.status]).toEqual([json, "complete"]);
          expect(call.args).toEqual(JSON.parse(json));
        }
      }),
      { seed: 6, numRuns: process.env["AGRX_SOAK"] ? 5_000 : 100 },
    );
  });
});
