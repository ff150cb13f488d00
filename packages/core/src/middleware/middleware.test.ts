import { concat, EMPTY, lastValueFrom, NEVER, of, take, toArray, type Observable } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { events, EventType, type AGUIEvent, type RunAgentInput, type TokenUsage } from "../index.js";
import { logEvents, recordRun, redact, replayRun, tapUsage, withMiddleware, withTimeout } from "./index.js";

const values: Record<string, AGUIEvent> = {
  S: events.runStarted({ threadId: "t", runId: "r" }),
  t: events.textMessageContent({ messageId: "m", delta: "secret words" }),
  F: events.runFinished({ threadId: "t", runId: "r", usage: [{ inputTokens: 7 }] }),
  I: events.runError({ code: "idle-timeout", message: "No event came for 5 ms." }),
  O: events.runError({ code: "total-timeout", message: "The run took longer than 9 ms." }),
};
const input: RunAgentInput = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };
const marbles = (test: Parameters<TestScheduler["run"]>[0]) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);
const collect = <T>(source: Observable<T>): T[] => {
  const seen: T[] = [];
  source.subscribe((value) => seen.push(value));
  return seen;
};

describe("withTimeout", () => {
  it("ends a run that idles with RUN_ERROR, and leaves the source", () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("--S--t--------F|", values);
      const subs = "       ^---------!     ";
      const expected = "   --S--t----(I|)  ";
      expectObservable(source.pipe(withTimeout({ idle: 5 }))).toBe(expected, values);
      expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it("ends a run that takes too long in all, though events keep coming", () => {
    marbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("S-t-t-t-t-t-t-F|", values);
      const subs = "       ^--------!      ";
      const expected = "   S-t-t-t-t(O|)   ";
      expectObservable(source.pipe(withTimeout({ total: 9 }))).toBe(expected, values);
      expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it("lets a run that is in time pass, and errors with its source", () => {
    marbles(({ cold, expectObservable }) => {
      expectObservable(cold("S-t-(F|)", values).pipe(withTimeout({ idle: 5, total: 9 }))).toBe(
        "S-t-(F|)",
        values,
      );
      expectObservable(cold("S-#", values).pipe(withTimeout({ idle: 5 }))).toBe("S-#", values);
      expectObservable(cold("-----|", values).pipe(withTimeout({ total: 9 }))).toBe("-----|");
    });
  });

  it("leaves no timer behind when it is unsubscribed", () => {
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const source = cold("S-t", values);
      expectObservable(source.pipe(withTimeout({ idle: 5, total: 9 })), "^--!").toBe("S-t", values);
      expectSubscriptions(source.subscriptions).toBe("^--!");
    });
  });

  it("passes a synchronous run on synchronously", () => {
    expect(collect(of(values["S"]!, values["F"]!).pipe(withTimeout({ idle: 5 })))).toHaveLength(2);
  });
});

describe("tapUsage", () => {
  it("tells the usage of the terminal event, and nothing of a run without one", () => {
    const told: (readonly TokenUsage[])[] = [];
    const tapped = tapUsage((usage) => told.push(usage));
    expect(collect(of(values["S"]!, values["F"]!).pipe(tapped))).toEqual([values["S"], values["F"]]);
    collect(of(values["I"]!).pipe(tapped));
    expect(told).toEqual([[{ inputTokens: 7 }]]);
  });

  it("errors with what the callback throws", () => {
    let error: unknown;
    of(values["F"]!)
      .pipe(
        tapUsage(() => {
          throw new Error("full");
        }),
      )
      .subscribe({ error: (cause: unknown) => (error = cause) });
    expect(error).toEqual(new Error("full"));
  });
});

describe("logEvents", () => {
  it("writes types and ids, and nothing that anybody said", () => {
    const lines: string[] = [];
    let time = 100;
    const log = logEvents((line) => lines.push(line), { deltas: true, now: () => time++ });
    collect(of(values["S"]!, values["t"]!, values["I"]!).pipe(log));
    expect(lines).toEqual([
      "+1 ms RUN_STARTED r",
      "+2 ms TEXT_MESSAGE_CONTENT m",
      "+3 ms RUN_ERROR idle-timeout",
    ]);
  });

  it("leaves deltas out unless it is asked for them", () => {
    const lines: string[] = [];
    collect(of(values["t"]!).pipe(logEvents((line) => lines.push(line))));
    expect(lines).toEqual([]);
  });
});

describe("recordRun and replayRun", () => {
  const record = () => {
    let recording = "";
    marbles(({ cold, flush }) => {
      const recorded$ = cold("S-t-----F|", values).pipe(recordRun((line) => (recording += line)));
      recorded$.subscribe();
      flush();
    });
    return recording;
  };

  it("play back what was recorded, with its pauses", () => {
    const recording = record();
    marbles(({ expectObservable }) => {
      expectObservable(replayRun(recording)).toBe("S-t-----(F|)", values);
      expectObservable(replayRun(recording, { speed: 2 })).toBe("St--(F|)", values);
    });
  });

  it("play at once, synchronously, at infinite speed", () => {
    expect(collect(replayRun(record(), { speed: Infinity }))).toEqual([
      values["S"],
      values["t"],
      values["F"],
    ]);
  });

  it("error at a line that is no recorded event, and name the line but not its text", async () => {
    const broken = replayRun([record().split("\n")[0]!, "secret"], { speed: Infinity });
    await expect(lastValueFrom(broken)).rejects.toMatchObject({ code: "invalid-recording", line: 2 });
    await expect(lastValueFrom(broken)).rejects.not.toThrow("secret");
  });
});

describe("redact", () => {
  const snapshot = events.stateSnapshot({
    snapshot: { users: [{ name: "Ada", token: "a" }, { token: "b" }], kept: {} },
  });

  it("replaces state values in snapshots, in deltas and in the input", () => {
    const delta = events.stateDelta({
      delta: [
        { op: "replace", path: "/users/0/token", value: "c" },
        { op: "add", path: "/users/-", value: { name: "Eve", token: "d" } },
        { op: "add", path: "/kept/x", value: 1 },
      ],
    });
    const started = events.runStarted({
      threadId: "t",
      runId: "r",
      input: { ...input, state: { users: [{ token: "e" }] } },
    });
    const redacted = collect(of<AGUIEvent[]>(snapshot, delta, started).pipe(redact(["state.users.*.token"])));
    expect(JSON.stringify(redacted)).not.toMatch(/"[a-e]"/);
    expect(redacted[1]).toMatchObject({
      delta: [
        { path: "/users/0/token", value: "[redacted]" },
        { path: "/users/-", value: { name: "Eve", token: "[redacted]" } },
        { path: "/kept/x", value: 1 },
      ],
    });
  });

  it("keeps the reference of what is off the paths, and the event when nothing is on them", () => {
    const [redacted] = collect(of(snapshot).pipe(redact(["state.users.0.token"])));
    const before = snapshot.snapshot as { users: object[]; kept: object };
    const after = redacted!.snapshot as typeof before;
    expect(after.kept).toBe(before.kept);
    expect(after.users[1]).toBe(before.users[1]);
    expect(before.users[0]).toEqual({ name: "Ada", token: "a" });
    expect(collect(of(snapshot).pipe(redact(["state.nothing", "rawEvent"])))[0]).toBe(snapshot);
  });

  it("replaces values at paths of the event itself", () => {
    const custom = events.custom({ name: "x", value: { token: "s", other: 1 } });
    expect(collect(of(custom).pipe(redact(["value.token"], { replacement: null })))).toEqual([
      { ...custom, value: { token: null, other: 1 } },
    ]);
  });

  it("does not reach into prototypes", () => {
    const custom = events.custom({ name: "x", value: {} });
    collect(of(custom).pipe(redact(["value.__proto__.polluted"])));
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

describe("withMiddleware", () => {
  it("has the first stand outermost, and calls each once a subscription", async () => {
    const order: string[] = [];
    const named =
      (name: string) =>
      (
        given: RunAgentInput,
        next: (input: RunAgentInput) => Observable<AGUIEvent>,
      ): Observable<AGUIEvent> => {
        order.push(name);
        return concat(of(events.custom({ name, value: null })), next(given));
      };
    const handler = withMiddleware(() => EMPTY, named("outer"), named("inner"));
    const run$ = handler(input);
    expect(order).toEqual([]);
    const seen = await lastValueFrom(run$.pipe(toArray()));
    expect(seen.map((event) => event.type === EventType.CUSTOM && event.name)).toEqual(["outer", "inner"]);
    expect(order).toEqual(["outer", "inner"]);
  });

  it("makes what middleware throws the stream's error, and stops a run that is left", () => {
    const failing = withMiddleware(
      () => NEVER,
      () => {
        throw new Error("no");
      },
    );
    let error: unknown;
    failing(input).subscribe({ error: (cause: unknown) => (error = cause) });
    expect(error).toEqual(new Error("no"));
    const endless = withMiddleware(
      () => of(values["t"]!, values["t"]!, values["t"]!),
      (given, next) => next(given),
    );
    expect(collect(endless(input).pipe(take(1)))).toHaveLength(1);
  });
});
