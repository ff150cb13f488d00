import { EMPTY, NEVER, type Observable, Subject, from, take } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { stateful, type Machine } from "../index.js";

/** Says each input twice and, at the end, how many came; "x" is refused. */
function createEcho(): Machine<string, string> {
  let count = 0;
  return {
    push(input, emit) {
      if (input === "x") throw new Error("refused");
      count++;
      emit(input);
      emit(input.toUpperCase());
    },
    end: (emit) => emit(String(count)),
    fail: (_error, emit) => emit("f"),
  };
}

const marbles = (score: Parameters<TestScheduler["run"]>[0]) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(score);

function record(source: Observable<string>) {
  const seen: string[] = [];
  source.subscribe({
    next: (value) => seen.push(value),
    error: (error: Error) => seen.push(error.message),
    complete: () => seen.push("|"),
  });
  return seen;
}

describe("stateful", () => {
  it("gives what the machine emits and, at completion, what is left", () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold("  --a-----b-----|");
      const subs = "         ^-------------!";
      const expected = "     --(aA)--(bB)--(2|)";
      expectObservable(source.pipe(stateful(createEcho))).toBe(expected);
      expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it("lets the machine emit what is left before the source's error", () => {
    marbles(({ cold, expectObservable }) => {
      const source = cold("                                     --a-----#");
      const expected = "                                        --(aA)--(f#)";
      expectObservable(source.pipe(stateful(createEcho))).toBe(expected);
    });
  });

  it("errors with what the machine throws, and leaves the source", () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold("  --a-----x-----b--|");
      const subs = "         ^-------!";
      const expected = "     --(aA)--#";
      expectObservable(source.pipe(stateful(createEcho))).toBe(expected, undefined, new Error("refused"));
      expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it("leaves the source at once when it is unsubscribed, and emits no rest", () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold("  --a-----b--|");
      const unsubscribed = " -----!";
      const expected = "     --(aA)";
      expectObservable(source.pipe(stateful(createEcho)), unsubscribed).toBe(expected);
      expectSubscriptions(source.subscriptions).toBe(unsubscribed.replace("-", "^"));
    });
  });

  it("never emits of a silent source and gives the rest of an empty one", () => {
    marbles(({ expectObservable }) => {
      expectObservable(NEVER.pipe(stateful(createEcho))).toBe("-");
      expectObservable(EMPTY.pipe(stateful(createEcho))).toBe("(0|)");
    });
  });

  it("stops an endless synchronous source once enough was taken", () => {
    function* endless() {
      for (;;) yield "a";
    }
    expect(record(from(endless()).pipe(stateful(createEcho), take(3)))).toEqual(["a", "A", "a", "|"]);
  });

  it("makes a machine of its own for each subscription", () => {
    const echoed = from(["a"]).pipe(stateful(createEcho));
    expect(record(echoed)).toEqual(["a", "A", "1", "|"]);
    expect(record(echoed)).toEqual(["a", "A", "1", "|"]);
  });

  it("keeps the outputs of an input together when a subscriber makes the source send the next one", () => {
    const source = new Subject<string>();
    const seen: string[] = [];
    source.pipe(stateful(createEcho)).subscribe({
      next(value) {
        seen.push(value);
        if (value === "a") {
          source.next("b");
          source.complete();
        }
      },
      complete: () => seen.push("|"),
    });
    source.next("a");
    expect(seen).toEqual(["a", "A", "b", "B", "2", "|"]);
  });
});
