import fc from "fast-check";
import { EMPTY, NEVER, Subject, from, map, take, type Observable } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { compact, expandChunks, type AGUIEvent } from "../index.js";
import { events, runMarbles, toRunMarbles } from "../testing/index.js";
import { chunkStream } from "./chunk-stream.fixture.js";
import { entitiesOf } from "./entities-of.fixture.js";

const numRuns = process.env["AGRX_SOAK"] ? 20_000 : 1_000;
const marbles = (score: Parameters<TestScheduler["run"]>[0]) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(score);

function collect(source: Observable<AGUIEvent>) {
  const values: AGUIEvent[] = [];
  let error: unknown;
  source.subscribe({ next: (event) => values.push(event), error: (cause: unknown) => (error = cause) });
  return { values, error };
}

const compacted = (line: string) => toRunMarbles(collect(from(runMarbles(line)).pipe(compact())).values);

describe("compact", () => {
  it.each([
    [
      "joins the text of a message",
      `text+m text:m"a" text:m"b" text:m"c" text-m`,
      `text+m text:m"abc" text-m`,
    ],
    ["joins the arguments of a call", `call+c call:c"{" call:c"}" call-c`, `call+c call:c"{}" call-c`],
    ["joins reasoning", `thought:q"a" thought:q"b"`, `thought:q"ab"`],
    ["joins the chunks of a stream", `text~m"a" text~"b" text~m"c" run-`, `text~m"abc" run-`],
    ["gives a joined chunk the name that its opener has", `call~c/f call~"{" call~c"}"`, `call~c/f"{}"`],
    ["joins neighbours only", `call:a"1" call:b"2" call:a"3" call:a"4"`, `call:a"1" call:b"2" call:a"34"`],
    [
      "lets any other event end a joining",
      `text:m"a" raw= text:m"b" custom= text:m"c"`,
      `text:m"a" raw= text:m"b" custom= text:m"c"`,
    ],
    [
      "keeps a message and a reasoning message of one id apart",
      `text:x"a" thought:x"b"`,
      `text:x"a" thought:x"b"`,
    ],
    ["keeps two owners apart", `text:m@s"a" text:m@z"b"`, `text:m@s"a" text:m@z"b"`],
    ["joins with and without a tag", `text:m"a" text:m@s"b" text:m"c"`, `text:m@s"abc"`],
    [
      "keeps chunks of two lanes apart",
      `text~m@s"a" text~n"b" text~"c" text~m"d"`,
      `text~m@s"a" text~n"bc" text~m"d"`,
    ],
    [
      "begins anew where a chunk stream does",
      `text~m"a" text~n"b" text~m"c"`,
      `text~m"a" text~n"b" text~m"c"`,
    ],
    ["joins empty deltas to one", `text:m text:m`, `text:m`],
    [
      "leaves state and activity deltas alone",
      `state: state: activity:a activity:a`,
      `state: state: activity:a activity:a`,
    ],
    [
      "passes chunks that break a rule as they came",
      `text~"a" text~m"b" text~m/user"c" text~"d"`,
      `text~"a" text~m"b" text~m/user"c" text~"d"`,
    ],
  ])("%s", (_title, source, expected) => {
    expect(compacted(source)).toBe(expected);
  });

  it("merges metadata per key, the last value winning, and keeps the first timestamp", () => {
    const { values } = collect(
      from([
        events.textMessageContent({ delta: "a", timestamp: 1, metadata: { a: 1, b: 1 } }),
        events.textMessageContent({ delta: "b", timestamp: 2 }),
        events.textMessageContent({ delta: "c", timestamp: 3, metadata: { b: { c: 1 } } }),
      ]).pipe(compact()),
    );
    expect(values).toEqual([
      events.textMessageContent({ delta: "abc", timestamp: 1, metadata: { a: 1, b: { c: 1 } } }),
    ]);
  });

  it("keeps a key __proto__ of metadata a key", () => {
    const metadata = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>;
    const delta = events.textMessageContent({ metadata });
    const [joined] = collect(from([delta, delta]).pipe(compact())).values;
    expect(JSON.stringify(joined?.metadata)).toBe('{"__proto__":{"polluted":true}}');
    expect(joined?.metadata?.["polluted"]).toBeUndefined();
  });

  it("joins nothing to a delta with a rawEvent, which passes as it is", () => {
    const run = [1, 2, 3].map((raw) => events.toolCallArgs({ delta: "a", rawEvent: { raw } }));
    const { values } = collect(from(run).pipe(compact()));
    values.forEach((event, index) => expect(event).toBe(run[index]));
    expect(values).toHaveLength(3);
  });

  it("passes a delta alone as the same object and changes none", () => {
    const run = runMarbles(`text:m"a" text:m"b" custom= text:m"c"`).map((event) => Object.freeze(event));
    const { values } = collect(from(run).pipe(compact()));
    expect(values[2]).toBe(run[3]);
  });

  it("passes malformed deltas and metadata on as they are", () => {
    const run = [
      { delta: null },
      { delta: 1 },
      { delta: "a", metadata: null },
      { delta: "b", metadata: null },
    ].map((fields) => events.textMessageContent(fields as never));
    const { values } = collect(from(run).pipe(compact()));
    values.forEach((event, index) => expect(event).toBe(run[index]));
  });

  it("gives the same messages and calls before expandChunks as after", () => {
    let legal = 0;
    fc.assert(
      fc.property(chunkStream, (stream) => {
        const after = collect(from(stream).pipe(expandChunks(), compact()));
        const before = collect(from(stream).pipe(compact(), expandChunks()));
        const plain = collect(from(stream).pipe(expandChunks()));
        expect(after.error !== undefined).toBe(before.error !== undefined);
        expect(entitiesOf(before.values)).toEqual(entitiesOf(plain.values));
        expect(entitiesOf(after.values)).toEqual(entitiesOf(plain.values));
        if (plain.error === undefined) legal++;
      }),
      { seed: 2, numRuns },
    );
    expect(legal / numRuns).toBeGreaterThan(0.1);
  });

  it("costs nothing more for what was joined before", () => {
    const run = Array.from({ length: 200_000 }, () =>
      events.textMessageContent({ delta: "a", metadata: { a: 1 } }),
    );
    const [joined, ...others] = collect(from(run).pipe(compact())).values;
    expect(joined).toMatchObject({ delta: "a".repeat(200_000) });
    expect(others).toEqual([]);
  });

  describe("as an operator", () => {
    const values = { t: events.textMessageContent({ delta: "a" }), E: events.textMessageEnd() };
    const text = map((event: AGUIEvent) =>
      "delta" in event ? JSON.stringify(event.delta).slice(1, -1) : "E",
    );

    it("sends what it held with the next event, and what is left at completion", () => {
      marbles(({ cold, expectObservable, expectSubscriptions }) => {
        const source = cold("  --t--t--E--t--t--|", values);
        const subs = "         ^----------------!";
        const expected = "     --------(xE)-----(x|)";
        expectObservable(source.pipe(compact(), text)).toBe(expected, { x: "aa", E: "E" });
        expectSubscriptions(source.subscriptions).toBe(subs);
      });
    });

    it("sends what it held before the source's error", () => {
      marbles(({ cold, expectObservable }) => {
        const source = cold("                                  --t--t--#", values);
        const expected = "                                     --------(x#)";
        expectObservable(source.pipe(compact(), text)).toBe(expected, { x: "aa" });
      });
    });

    it("sends nothing more when it is unsubscribed", () => {
      marbles(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot("   --t--t--t--|", values);
        const subs = "         ^-----!";
        expectObservable(source.pipe(compact(), text), subs).toBe("-------");
        expectSubscriptions(source.subscriptions).toBe(subs);
      });
    });

    it("is silent with a silent source and empty with an empty one", () => {
      marbles(({ expectObservable }) => {
        expectObservable(NEVER.pipe(compact())).toBe("-");
        expectObservable(EMPTY.pipe(compact())).toBe("|");
      });
    });

    it("stops an endless source once enough was taken", () => {
      function* endless() {
        for (;;) yield* [values.t, values.t, values.E];
      }
      expect(collect(from(endless()).pipe(compact(), take(3))).values).toHaveLength(3);
    });

    it("keeps nothing from one subscription to the next", () => {
      const source = from(runMarbles(`text:m"a" text:m"b"`)).pipe(compact());
      expect(collect(source)).toEqual(collect(source));
    });

    it("keeps the order when a subscriber sends the next event", () => {
      const source = new Subject<AGUIEvent>();
      const seen: AGUIEvent[] = [];
      source.pipe(compact()).subscribe((event) => {
        seen.push(event);
        if (seen.length === 1) source.next(events.custom());
      });
      source.next(values.t);
      source.next(values.E);
      expect(toRunMarbles(seen)).toBe(`text:m"a" text-m custom=`);
    });
  });
});
