import fc from "fast-check";
import { EMPTY, from, map, NEVER, type Observable, of, repeat, Subject, take, tap } from "rxjs";
import { TestScheduler, type RunHelpers } from "rxjs/testing";
import { events } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { scanRun } from "../views/scan-run.js";
import { batchEvents, type BatchEventsOptions } from "./batch-events.js";

const text = (messageId: string, delta: string) => events.textMessageContent({ messageId, delta });
const symbols: Record<string, AGUIEvent> = {
  S: events.textMessageStart({ messageId: "m", role: "assistant" }),
  a: text("m", "a"),
  b: text("m", "b"),
  n: text("n", "n"),
  E: events.textMessageEnd({ messageId: "m" }),
  F: events.runFinished({ threadId: "t", runId: "r" }),
  X: events.runError({ message: "failed" }),
};

/** An event as a test shows it: its delta, else the symbol it stands for. */
const shown = (event: AGUIEvent) =>
  "delta" in event && typeof event.delta === "string"
    ? event.delta
    : Object.keys(symbols).find((symbol) => symbols[symbol] === event)!;

const marbles = (test: (helpers: RunHelpers) => void) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);

const batched = (source: Observable<AGUIEvent>, options?: BatchEventsOptions) =>
  source.pipe(batchEvents(options), map(shown));

describe("batchEvents", () => {
  it("holds events for the time since the batch's first, then sends them together, deltas joined", () =>
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold<AGUIEvent>("--S-a-b-------a-n-b-----|", symbols);
      const subs = "                  ^-----------------------!";
      const expected = "              -------(Sx)--------(anb)|";
      expectObservable(batched(source, { ms: 5 })).toBe(expected, {
        S: "S",
        x: "ab",
        a: "a",
        n: "n",
        b: "b",
      });
      expectSubscriptions(source.subscriptions).toBe(subs);
    }));

  it("sends a batch with the count's event", () =>
    marbles(({ cold, expectObservable }) => {
      const source = cold<AGUIEvent>("-a-b-a-b-a-|", symbols);
      expectObservable(batched(source, { count: 2 })).toBe("---x---x---(a|)", { x: "ab", a: "a" });
    }));

  it.each(["F", "X"])("sends all at the run's end (%s) and holds what comes after anew", (end) =>
    marbles(({ cold, expectObservable }) => {
      const source = cold<AGUIEvent>(`-a-b-${end}-a----------|`, symbols);
      expectObservable(batched(source, { ms: 9 })).toBe(`-----(x${end})-------a-|`, {
        x: "ab",
        a: "a",
        F: "F",
        X: "X",
      });
    }),
  );

  it("sends what it holds before the source's error", () =>
    marbles(({ cold, expectObservable }) => {
      const source = cold<AGUIEvent>("-a-b-#", symbols, "cut");
      expectObservable(batched(source, { ms: 100 })).toBe("-----(x#)", { x: "ab" }, "cut");
    }));

  it("drops what it holds, and its timer, when its subscriber leaves", () =>
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot<AGUIEvent>("-a-b-a-b", symbols);
      expectObservable(batched(source, { ms: 100 }), "----!").toBe("-----");
      expectSubscriptions(source.subscriptions).toBe("^---!");
    }));

  it("ends a batch with what comes first of time and count", () =>
    marbles(({ cold, expectObservable }) => {
      const source = cold<AGUIEvent>("-aba---b-------|", symbols);
      expectObservable(batched(source, { ms: 4, count: 3 })).toBe("---x-------b---|", { x: "aba", b: "b" });
    }));

  it("waits for the next animation frame where there are frames", () => {
    const frames: FrameRequestCallback[] = [];
    const cancelled: number[] = [];
    const host = globalThis as { requestAnimationFrame?: unknown; cancelAnimationFrame?: unknown };
    host.requestAnimationFrame = (callback: FrameRequestCallback) => frames.push(callback);
    host.cancelAnimationFrame = (id: number) => cancelled.push(id);
    try {
      const source = new Subject<AGUIEvent>();
      const seen: string[] = [];
      const subscription = batched(source).subscribe((one) => seen.push(one));
      source.next(symbols["a"]!);
      source.next(symbols["b"]!);
      expect([seen.length, frames.length]).toEqual([0, 1]);
      frames[0]!(16);
      expect(seen).toEqual(["ab"]);
      source.next(symbols["a"]!);
      expect(frames).toHaveLength(2);
      subscription.unsubscribe();
      expect(cancelled).toEqual([2]);
    } finally {
      delete host.requestAnimationFrame;
      delete host.cancelAnimationFrame;
    }
  });

  it("takes 16 ms for a frame where there are none", () =>
    marbles(({ cold, expectObservable }) => {
      expectObservable(batched(cold<AGUIEvent>("-a-b", symbols), { frame: true })).toBe("- 16ms x", {
        x: "ab",
      });
    }));

  it("never, empty and one", () =>
    marbles(({ expectObservable }) => {
      expectObservable(batched(NEVER)).toBe("-");
      expectObservable(batched(EMPTY)).toBe("|");
      expectObservable(batched(of(symbols["a"]!))).toBe("(a|)");
    }));

  it("stops an endless synchronous source", () => {
    let sent = 0;
    const seen: string[] = [];
    batched(
      of(symbols["a"]!, symbols["n"]!).pipe(
        repeat(),
        tap(() => sent++),
      ),
      { count: 4 },
    )
      .pipe(take(3))
      .subscribe((one) => seen.push(one));
    expect(seen).toEqual(["a", "n", "a"]);
    expect(sent).toBe(4);
  });

  it("keeps the order when a subscriber makes the source send", () => {
    const source = new Subject<AGUIEvent>();
    const seen: string[] = [];
    batched(source, { count: 2 }).subscribe((one) => {
      seen.push(one);
      if (seen.length === 1) from([symbols["a"]!, symbols["n"]!]).subscribe((event) => source.next(event));
    });
    source.next(symbols["b"]!);
    source.next(symbols["E"]!);
    expect(seen).toEqual(["b", "E", "a", "n"]);
  });

  it("errors with what is thrown downstream", () => {
    let failure: unknown;
    batched(of(symbols["a"]!), { count: 1 })
      .pipe(
        map(() => {
          throw new Error("downstream");
        }),
      )
      .subscribe({ error: (error: unknown) => (failure = (error as Error).message) });
    expect(failure).toBe("downstream");
  });

  it("loses nothing: the last view of any run is the same, whatever the batches", () => {
    const event = fc.constantFrom(..."SSabnabE").map((symbol) => symbols[symbol]!);
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), fc.integer({ min: 1, max: 9 }), (body, count) => {
        const stream = [events.runStarted({ threadId: "t", runId: "r" }), ...body, symbols["F"]!];
        const last = (source: Observable<AGUIEvent>) => {
          let view: unknown;
          source.pipe(scanRun()).subscribe((next) => (view = { ...next, warnings: [] }));
          return view;
        };
        expect(last(from(stream).pipe(batchEvents({ count })))).toEqual(last(from(stream)));
      }),
      { seed: 5, numRuns: process.env["AGRX_SOAK"] ? 5_000 : 100 },
    );
  });
});
