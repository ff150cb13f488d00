import fc from "fast-check";
import {
  catchError,
  concat,
  from,
  lastValueFrom,
  map,
  type Observable,
  of,
  repeat,
  Subject,
  take,
  tap,
  throwError,
  toArray,
} from "rxjs";
import { TestScheduler, type RunHelpers } from "rxjs/testing";
import type { JsonTextError } from "./json-text-error.js";
import { partialJson } from "./partial-json.js";

const marbles = (test: (helpers: RunHelpers) => void) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);

const fragments = { a: '{"a":"x', b: 'y"', c: "}", x: "?" };

describe("partialJson", () => {
  it("emits after each fragment that shows, and completes with its source", () =>
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold("--a--b--c--|", fragments);
      const subs = "       ^----------!";
      const expected = "   --v--w-----|";
      expectObservable(source.pipe(partialJson())).toBe(expected, { v: { a: "x" }, w: { a: "xy" } });
      expectSubscriptions(source.subscriptions).toBe(subs);
    }));

  it("leaves the source when its subscriber leaves", () =>
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("--a--b--c--|", fragments);
      const unsub = "     ---!";
      expectObservable(source.pipe(partialJson()), unsub).toBe("--v", { v: { a: "x" } });
      expectSubscriptions(source.subscriptions).toBe("^--!");
    }));

  it("errors at the fragment that can be no JSON and leaves the source there", () =>
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("--a--b--x--c--|", fragments);
      const codes = source.pipe(
        partialJson(),
        catchError((error: unknown) => {
          const { code, position } = error as JsonTextError;
          return throwError(() => ({ code, position }));
        }),
      );
      expectObservable(codes).toBe(
        "--v--w--#",
        { v: { a: "x" }, w: { a: "xy" } },
        {
          code: "invalid",
          position: 9,
        },
      );
      expectSubscriptions(source.subscriptions).toBe("^-------!");
    }));

  it("never emits for a source that never does", () =>
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold("-").pipe(partialJson())).toBe("-");
    }));

  it("calls a text that stops too early incomplete, after its last value", () => {
    const shown: unknown[] = [];
    let code: string | undefined;
    from(['{"n":1', "2"])
      .pipe(partialJson())
      .subscribe({
        next: (value) => shown.push(value),
        error: (error: unknown) => (code = (error as JsonTextError).code),
      });
    expect(shown).toEqual([{}]);
    expect(code).toBe("incomplete");
    from<string[]>([])
      .pipe(partialJson())
      .subscribe({ error: (error: unknown) => (code += (error as JsonTextError).code) });
    expect(code).toBe("incompleteincomplete");
  });

  it("shows a top-level number when the source completes", () => {
    const shown: unknown[] = [];
    from(["1", "2"])
      .pipe(partialJson())
      .subscribe((value) => shown.push(value));
    expect(shown).toEqual([12]);
  });

  it("shows what it held back before the source's error passes", () => {
    const rows = `{"rows":[${"1,".repeat(500)}2`;
    const shown: unknown[] = [];
    let failure: unknown;
    concat(
      from(rows),
      throwError(() => "cut"),
    )
      .pipe(partialJson<{ rows?: unknown[] }>())
      .subscribe({
        next: (value) => shown.push(value.rows?.length),
        error: (error: unknown) => (failure = error),
      });
    expect(failure).toBe("cut");
    expect(shown.at(-1)).toBe(500);
    expect(shown.length).toBeLessThan(200);
  });

  it("starts anew for each subscriber", () => {
    const source = from(['["a"', "]"]).pipe(partialJson());
    const shown: unknown[] = [];
    source.subscribe((value) => shown.push(value));
    source.subscribe((value) => shown.push(value));
    expect(shown).toEqual([["a"], ["a"]]);
  });

  it("stops an endless synchronous source", () => {
    let sent = 0;
    const shown: unknown[] = [];
    concat(of("["), of('"a",').pipe(repeat()))
      .pipe(
        tap(() => sent++),
        partialJson(),
        take(3),
      )
      .subscribe((value) => shown.push(value));
    expect(shown).toEqual([[], ["a"], ["a", "a"]]);
    expect(sent).toBe(3);
  });

  it("serves what a subscriber sends while it is served after it", () => {
    const source = new Subject<string>();
    const shown: unknown[] = [];
    source.pipe(partialJson()).subscribe((value) => {
      shown.push(value);
      if (shown.length === 1) source.next('"b"]');
    });
    source.next('["a",');
    expect(shown).toEqual([["a"], ["a", "b"]]);
  });

  it("makes an error of what is thrown downstream", () => {
    let failure: unknown;
    from(["[1,", "2]"])
      .pipe(
        partialJson(),
        map(() => {
          throw new Error("downstream");
        }),
      )
      .subscribe({ error: (error: unknown) => (failure = (error as Error).message) });
    expect(failure).toBe("downstream");
  });

  it("always ends with the last value, and copies at most eight slots for each character", async () => {
    const documents = fc.array(
      fc.record({
        id: fc.nat(),
        name: fc.string({ maxLength: 5 }),
        tags: fc.array(fc.nat(), { maxLength: 3 }),
      }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(documents, fc.integer({ min: 1, max: 20 }), async (rows, size) => {
        const json = JSON.stringify({ rows });
        const pieces = json.match(new RegExp(`[^]{1,${String(size)}}`, "g"))!;
        const shown = await lastValueFrom(from(pieces).pipe(partialJson<{ rows?: unknown[] }>(), toArray()));
        expect(shown.at(-1)).toEqual({ rows });
        const copied = shown.reduce((sum, value) => sum + (value.rows?.length ?? 0), 0);
        expect(copied).toBeLessThanOrEqual(8 * json.length + rows.length);
      }),
      { seed: 4, numRuns: process.env["AGRX_SOAK"] ? 2_000 : 60 },
    );
  });

  it("infers the type it is told", () => {
    const value: Observable<{ city?: string }> = of("{}").pipe(partialJson<{ city?: string }>());
    expect(value).toBeDefined();
  });
});
