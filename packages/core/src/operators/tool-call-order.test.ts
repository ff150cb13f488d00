import fc from "fast-check";
import { EMPTY, NEVER, Subject, from, map, take, type MonoTypeOperatorFunction, type Observable } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { orderedToolCalls, wholeToolCalls, type AGUIEvent } from "../index.js";
import { events, marbleValues, runMarbles, toRunMarbles } from "../testing/index.js";
import { concernedCall } from "./concerned-call.js";
import { interleavedCalls } from "./interleaved-calls.fixture.js";

const numRuns = process.env["AGRX_SOAK"] ? 5_000 : 300;
const marbles = (score: Parameters<TestScheduler["run"]>[0]) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(score);

function collect(source: Observable<AGUIEvent>) {
  const values: AGUIEvent[] = [];
  source.subscribe({ next: (event) => values.push(event), error: () => undefined });
  return values;
}

/** The words of a line after an operator, as a line. */
const through = (operator: () => MonoTypeOperatorFunction<AGUIEvent>, line: string) =>
  toRunMarbles(collect(from(runMarbles(line)).pipe(operator())));

/** What is true of each call, whatever its events' cut and mixture: brackets, text, and what answers it. */
function storyOf(run: readonly AGUIEvent[]): Record<string, string> {
  const stories: Record<string, string> = {};
  for (const event of run) {
    const id = concernedCall(event);
    if (id === undefined) continue;
    const told = event.type === "TOOL_CALL_ARGS" ? event.delta : `[${toRunMarbles([event])}]`;
    stories[id] = (stories[id] ?? "") + told;
  }
  return stories;
}

const idsWith = (run: readonly AGUIEvent[], type: string) =>
  run.filter((event) => event.type === type).map(concernedCall);

describe.each([
  { operator: wholeToolCalls, turn: "TOOL_CALL_END" },
  { operator: orderedToolCalls, turn: "TOOL_CALL_START" },
])("$operator.name", ({ operator, turn }) => {
  it("keeps every call's arguments, brackets and results, in their order", () => {
    fc.assert(
      fc.property(interleavedCalls, (run) => {
        const values = collect(from(run).pipe(operator()));
        // An encrypted value may come before its call's END and stand after it: compare it apart.
        const isSecret = (event: AGUIEvent) => event.type === "REASONING_ENCRYPTED_VALUE";
        const plain = (list: AGUIEvent[]) => list.filter((event) => !isSecret(event));
        expect(storyOf(plain(values))).toEqual(storyOf(plain(run)));
        expect(values.filter(isSecret)).toHaveLength(run.filter(isSecret).length);
      }),
      { seed: 3, numRuns },
    );
  });

  it("never has two calls open at once", () => {
    fc.assert(
      fc.property(interleavedCalls, (run) => {
        let open: string | undefined;
        for (const event of collect(from(run).pipe(operator()))) {
          if (event.type === "TOOL_CALL_START") {
            expect(open).toBeUndefined();
            open = event.toolCallId;
          } else if (event.type === "TOOL_CALL_ARGS" || event.type === "TOOL_CALL_END") {
            expect(event.toolCallId).toBe(open);
            if (event.type === "TOOL_CALL_END") open = undefined;
          } else if (event.type === "TOOL_CALL_RESULT") {
            expect(event.toolCallId).not.toBe(open);
          }
        }
        expect(open).toBeUndefined();
      }),
      { seed: 4, numRuns },
    );
  });

  it(`emits the calls in the order of their ${turn}`, () => {
    fc.assert(
      fc.property(interleavedCalls, (run) => {
        const values = collect(from(run).pipe(operator()));
        expect(idsWith(values, turn)).toEqual(idsWith(run, turn));
      }),
      { seed: 5, numRuns },
    );
  });

  it("passes every other event at once", () => {
    fc.assert(
      fc.property(interleavedCalls, (run) => {
        const source = new Subject<AGUIEvent>();
        let newest: AGUIEvent | undefined;
        source.pipe(operator()).subscribe((event) => (newest = event));
        for (const event of run) {
          source.next(event);
          if (concernedCall(event) === undefined) expect(newest).toBe(event);
        }
      }),
      { seed: 6, numRuns },
    );
  });

  it.each(["run!", "run-", "run+"])("before %s sends what waits, and no END that was not there", (word) => {
    fc.assert(
      fc.property(interleavedCalls, fc.nat(), (run, cut) => {
        const head = run.slice(0, cut % (run.length + 1));
        const values = collect(from([...head, ...runMarbles(word)]).pipe(operator()));
        expect(toRunMarbles(values.slice(-1))).toBe(word);
        expect(argumentsOf(values)).toEqual(argumentsOf(head));
        for (const type of ["TOOL_CALL_START", "TOOL_CALL_END", "TOOL_CALL_RESULT"]) {
          expect(idsWith(values, type).sort()).toEqual(idsWith(head, type).sort());
        }
      }),
      { seed: 7, numRuns: numRuns / 4 },
    );
  });

  it("passes what fits no open call as it came", () => {
    const line = `call:x"a" call-x call=x"r" encrypted=x/tool-call encrypted=m`;
    expect(through(operator, line)).toBe(line);
  });

  it("passes chunk events as they came", () => {
    const line = `call~c/f"{" call~c"}" call~d/g`;
    expect(through(operator, line)).toBe(line);
  });

  it("is silent with a silent source and empty with an empty one", () => {
    marbles(({ expectObservable }) => {
      expectObservable(NEVER.pipe(operator())).toBe("-");
      expectObservable(EMPTY.pipe(operator())).toBe("|");
    });
  });

  it("stops an endless source once enough was taken", () => {
    function* endless() {
      for (let k = 0; ; k++) yield* runMarbles(`call+c${k} call:c${k}"a" call-c${k}`);
    }
    expect(collect(from(endless()).pipe(operator(), take(4)))).toHaveLength(4);
  });

  it("keeps nothing from one subscription to the next", () => {
    const source = from(runMarbles(`call+a call+b call:b"1" call-a`)).pipe(operator());
    expect(collect(source)).toEqual(collect(source));
  });

  it("keeps hostile ids apart", () => {
    const line = `call+__proto__ call+constructor call:__proto__"1" call:constructor"2" call-__proto__ call-constructor`;
    expect(storyOf(collect(from(runMarbles(line)).pipe(operator())))).toEqual(storyOf(runMarbles(line)));
  });

  it("handles as many calls as come without a growing cost for each", () => {
    const ids = Array.from({ length: 20_000 }, (_, k) => `c${k}`);
    const run = [
      ...ids.map((toolCallId) => events.toolCallStart({ toolCallId })),
      ...ids.map((toolCallId) => events.toolCallArgs({ toolCallId, delta: "{}" })),
      ...ids.map((toolCallId) => events.toolCallEnd({ toolCallId })),
    ];
    expect(idsWith(collect(from(run).pipe(operator())), "TOOL_CALL_END")).toEqual(ids);
  });
});

function argumentsOf(run: readonly AGUIEvent[]): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const event of run) {
    if (event.type !== "TOOL_CALL_ARGS") continue;
    texts[event.toolCallId] = (texts[event.toolCallId] ?? "") + event.delta;
  }
  return texts;
}

const values = marbleValues({
  ...{ a: "call+a", "1": `call:a"1"`, A: "call-a" },
  ...{ b: "call+b", "2": `call:b"2"`, B: "call-b", R: `call=b"r"` },
  ...{ c: "call+c", "3": `call:c"3"`, C: "call-c" },
  ...{ T: "text-m", X: "run!", x: `call:a"11"` },
});
const words = map((event: AGUIEvent) => toRunMarbles([event]));
const expected = Object.fromEntries(
  Object.entries(values).map(([letter, event]) => [letter, toRunMarbles([event])]),
);

/** Compares what an operator makes of a score; letters are the words above. */
function score(
  operator: () => MonoTypeOperatorFunction<AGUIEvent>,
  lines: { source: string; expected: string; subs?: string; unsubscribed?: string },
) {
  marbles(({ cold, expectObservable, expectSubscriptions }) => {
    const source = cold(lines.source, values);
    expectObservable(source.pipe(operator(), words), lines.unsubscribed).toBe(lines.expected, expected);
    if (lines.subs) expectSubscriptions(source.subscriptions).toBe(lines.subs);
  });
}

describe("wholeToolCalls", () => {
  it("emits each call whole at its END, and other events at once", () => {
    score(wholeToolCalls, {
      source: "  --a--b--1--2--1--T--A-----B------|",
      subs: "    ^--------------------------------!",
      expected: "-----------------T--(axA)-(b2B)--|",
    });
  });

  it("lets a result wait for the END of its call", () => {
    score(wholeToolCalls, {
      source: "  --b--R--2--B------|",
      expected: "-----------(b2BR)-|",
    });
  });

  it("sends what waits before RUN_ERROR, without an END", () => {
    score(wholeToolCalls, {
      source: "  --a--b--1--2--X------|",
      expected: "--------------(a1b2X)|",
    });
  });

  it("sends what waits before the source completes or errors", () => {
    score(wholeToolCalls, { source: "--a--1--1--|   ", expected: "-----------(ax|)" });
    score(wholeToolCalls, { source: "--a--1--1--#   ", expected: "-----------(ax#)" });
  });

  it("sends nothing more when it is unsubscribed", () => {
    score(wholeToolCalls, {
      source: "      --a--1--T--A--|",
      subs: "        ^--------!     ",
      unsubscribed: "---------!     ",
      expected: "    --------T--    ",
    });
  });

  it("emits no ARGS for a call without any", () => {
    expect(through(wholeToolCalls, "call+a call-a")).toBe("call+a call-a");
  });

  it("gives the one ARGS the metadata of all fragments, and no rawEvent that is not its own", () => {
    const fragments = [
      events.toolCallArgs({ delta: "1", metadata: { a: 1, b: 1 }, rawEvent: 1, timestamp: 5 }),
      events.toolCallArgs({ delta: "2", metadata: { b: 2 }, subagentRunId: "s" }),
    ];
    const run = [events.toolCallStart(), ...fragments, events.toolCallEnd()];
    expect(collect(from(run).pipe(wholeToolCalls()))[1]).toEqual(
      events.toolCallArgs({ delta: "12", metadata: { a: 1, b: 2 }, timestamp: 5, subagentRunId: "s" }),
    );
    const single = [events.toolCallStart(), fragments[0]!, events.toolCallEnd()];
    expect(collect(from(single).pipe(wholeToolCalls()))[1]).toBe(fragments[0]);
  });

  it("lets an encrypted value of a call wait for the call", () => {
    expect(through(wholeToolCalls, `call+a encrypted=a/tool-call"x" call-a`)).toBe(
      `call+a call-a encrypted=a/tool-call"x"`,
    );
  });
});

describe("orderedToolCalls", () => {
  it("streams the first call live, then catches up with the next one and streams that", () => {
    score(orderedToolCalls, {
      source: "  --a--b--1--2--1--T--A------2--B--|",
      subs: "    ^--------------------------------!",
      expected: "--a-----1-----1--T--(Ab2)--2--B--|",
    });
  });

  it("sends calls that ended while they waited, one after the other", () => {
    score(orderedToolCalls, {
      source: "  --a--b--c--3--2--C--B--A----------|",
      expected: "--a--------------------(Ab2Bc3C)--|",
    });
  });

  it("lets a result of a waiting call wait for its END, and one of the streaming call too", () => {
    score(orderedToolCalls, {
      source: "  --a--b--B--R--A-------|",
      expected: "--a-----------(AbBR)--|",
    });
    score(orderedToolCalls, {
      source: "  --b--R--2--B-----|",
      expected: "--b-----2--(BR)--|",
    });
  });

  it("sends what waits before RUN_ERROR, without an END", () => {
    score(orderedToolCalls, {
      source: "  --a--b--1--2--X----|",
      expected: "--a-----1-----(b2X)|",
    });
  });

  it("sends what waits before the source completes or errors", () => {
    score(orderedToolCalls, { source: "--a--b--2--|   ", expected: "--a--------(b2|)" });
    score(orderedToolCalls, { source: "--a--b--2--#   ", expected: "--a--------(b2#)" });
  });

  it("sends nothing more when it is unsubscribed", () => {
    score(orderedToolCalls, {
      source: "      --a--b--2--A--|",
      subs: "        ^--------!     ",
      unsubscribed: "---------!     ",
      expected: "    --a--------    ",
    });
  });

  it("lets an id that is opened again wait its turn again", () => {
    expect(through(orderedToolCalls, `call+a call+b call:b"1" call-b call+b call:b"2" call-b call-a`)).toBe(
      `call+a call-a call+b call:b"1" call-b call+b call:b"2" call-b`,
    );
  });

  it("passes every event of a call on as the same object", () => {
    const run = runMarbles(`call+a call+b call:b"1" call:a"1" call-b call=b call-a`);
    const seen = collect(from(run).pipe(orderedToolCalls()));
    expect(new Set(seen)).toEqual(new Set(run));
    for (const event of seen) expect(run.includes(event)).toBe(true);
  });
});
