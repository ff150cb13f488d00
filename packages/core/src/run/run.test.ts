import { concat, EMPTY, NEVER, Observable, of, take, throwError } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { events, PROTOCOL_VERSION, run, type AGUIEvent, type RunContext } from "../index.js";
import { briefly, inputOf, record, recorded, settled } from "./run.fixture.js";

const input = inputOf();
const message = (id: string): AGUIEvent[] => [
  events.textMessageStart({ messageId: id, role: "assistant" }),
  events.textMessageContent({ messageId: id, delta: "Hi" }),
  events.textMessageEnd({ messageId: id }),
];
const callStart = (id: string) => events.toolCallStart({ toolCallId: id, toolCallName: "f" });
const callEnd = (id: string) => events.toolCallEnd({ toolCallId: id });
const finished = { type: "RUN_FINISHED", threadId: "t", runId: "r" };

const marbles = (score: Parameters<TestScheduler["run"]>[0]) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(score);

describe("run", () => {
  it("puts the project's events between RUN_STARTED and RUN_FINISHED", () => {
    const { events: got, end } = record(run(input, () => message("m")));
    expect(got).toEqual([
      { type: "RUN_STARTED", threadId: "t", runId: "r", protocolVersion: PROTOCOL_VERSION },
      ...message("m"),
      finished,
    ]);
    expect(end).toBe("complete");
  });

  it("names the run that spawned it", () => {
    expect(record(run(inputOf({ parentRunId: "p" }), () => EMPTY)).events[0]).toMatchObject({
      parentRunId: "p",
    });
  });

  it("passes events on as they come, and leaves the project after its end", () => {
    const [start, content, end] = message("m") as [AGUIEvent, AGUIEvent, AGUIEvent];
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const values = { S: expect.anything(), s: start, c: content, e: end, F: finished };
      const project = cold("  --s--c--e--|", values);
      const subs = "          ^----------!";
      const expected = "      S-s--c--e--(F|)";
      expectObservable(run(input, () => project)).toBe(expected, values);
      expectSubscriptions(project.subscriptions).toBe(subs);
    });
  });

  it("leaves the project at once when it is unsubscribed, and says nothing more", () => {
    const [start] = message("m");
    marbles(({ cold, expectObservable, expectSubscriptions }) => {
      const values = { S: expect.anything(), s: start! };
      const project = cold(" --s-----s--|", values);
      const unsubscribed = " ----!";
      const expected = "     S-s--";
      expectObservable(
        run(input, () => project),
        unsubscribed,
      ).toBe(expected, values);
      expectSubscriptions(project.subscriptions).toBe("^---!");
    });
  });

  it("is a run of its own for each subscription, with the same ids", () => {
    let projects = 0;
    const source = run(input, (ctx) => {
      projects += 1;
      return concat(ctx.text("a"), ctx.toolCall("f"));
    });
    expect(projects).toBe(0);
    const first = record(source).events;
    expect(record(source).events).toEqual(first);
    expect(projects).toBe(2);
  });

  it("never starts the project of a subscriber that leaves at RUN_STARTED", () => {
    const project = jest.fn(() => EMPTY);
    expect(briefly(record(run(input, project).pipe(take(1))).events)).toBe("");
    expect(project).not.toHaveBeenCalled();
  });

  it("stops an endless synchronous project once enough was taken", () => {
    function* endless() {
      for (;;) yield events.custom({ name: "tick", value: 1 });
    }
    expect(record(run(input, endless).pipe(take(3))).events).toHaveLength(3);
  });

  it("ends an async iterable at once, also while it waits", async () => {
    const ended = jest.fn(() => Promise.resolve({ done: true as const, value: undefined }));
    const project = (): AsyncIterable<AGUIEvent> => ({
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined), return: ended }),
    });
    const { stop } = record(run(input, project));
    await settled();
    expect(ended).not.toHaveBeenCalled();
    stop();
    expect(ended).toHaveBeenCalledTimes(1);
  });

  it("sends what an async generator yields", async () => {
    async function* project() {
      yield* message("m");
    }
    expect(briefly(await recorded(run(input, project)))).toBe("+text:m .text:m -text:m RUN_FINISHED");
  });

  it("never ends while its project never does, and ends at once with one that is empty", () => {
    expect(record(run(input, () => NEVER)).end).toBeUndefined();
    expect(briefly(record(run(input, () => EMPTY)).events)).toBe("RUN_FINISHED");
    expect(briefly(record(run(input, () => undefined)).events)).toBe("RUN_FINISHED");
  });
});

describe("the end of a run", () => {
  const coded = Object.assign(new Error("no"), { code: "NOPE" });

  it.each([
    ["an Observable that errors", () => throwError(() => coded)],
    [
      "a throw",
      () => {
        throw coded;
      },
    ],
    ["a rejection", () => Promise.reject(coded)],
  ])("is RUN_ERROR with the error's message and code after %s, and completes", async (_name, project) => {
    const recording = record(run(input, project));
    await settled();
    expect(recording.events.slice(1)).toEqual([{ type: "RUN_ERROR", message: "no", code: "NOPE" }]);
    expect(recording.end).toBe("complete");
  });

  it.each([
    ["a string", "broken", { message: "broken" }],
    ["nothing", undefined, { message: "The run failed." }],
    ["a number as code", { message: "m", code: 429 }, { message: "m", code: "429" }],
    [
      "a rule beside a code",
      { message: "m", rule: "not-open", code: "x" },
      { message: "m", code: "not-open" },
    ],
  ])("describes %s", (_name, error, described) => {
    const { events: got } = record(run(input, () => throwError(() => error)));
    expect(got.at(-1)).toEqual({ type: "RUN_ERROR", ...described });
  });

  it("has the words of describeError, and none of the error's when that throws", () => {
    const project = () => throwError(() => new Error("secret"));
    const described = run(input, project, { describeError: () => ({ message: "Sorry.", code: "internal" }) });
    expect(record(described).events.at(-1)).toEqual({
      type: "RUN_ERROR",
      message: "Sorry.",
      code: "internal",
    });
    const failing = run(input, project, {
      describeError: () => {
        throw new Error("also secret");
      },
    });
    expect(record(failing).events.at(-1)).toEqual({ type: "RUN_ERROR", message: "The run failed." });
  });

  it("closes what is open, innermost first, before RUN_FINISHED and before RUN_ERROR", async () => {
    const open = (ctx: RunContext) => {
      ctx.openStep("s");
      ctx.openMessage();
      ctx.openReasoning();
      ctx.openToolCall("f");
      ctx.emit(events.subagentStarted({ subagentRunId: "a", name: "n" }));
    };
    const opened = "+step:s +text:r-msg-1 +span:r-msg-2 +thought:r-msg-2 +call:r-call-1 +sub:a";
    const closed = "-call:r-call-1 -thought:r-msg-2 -span:r-msg-2 -text:r-msg-1 -step:s";
    const done = await recorded(run(input, async (ctx) => open(ctx)));
    expect(briefly(done)).toBe(`${opened} -sub:a ${closed} RUN_FINISHED`);
    const failed = await recorded(
      run(input, async (ctx) => {
        open(ctx);
        throw new Error("boom");
      }),
    );
    expect(briefly(failed)).toBe(`${opened} !sub:a ${closed} RUN_ERROR`);
    expect(failed.find(({ type }) => type === "SUBAGENT_ERROR")).toMatchObject({ message: "boom" });
  });

  it("closes a message that came as plain events", () => {
    expect(briefly(record(run(input, () => message("m").slice(0, 2))).events)).toBe(
      "+text:m .text:m -text:m RUN_FINISHED",
    );
  });

  it.each([
    ["the project's Observable", () => of(callStart("c"))],
    ["ctx.emit", (ctx: RunContext) => ctx.emit(callStart("c"))],
    ["a step around it", (ctx: RunContext) => ctx.step("s", [callStart("c")])],
  ])("never ends a tool call that came as plain events from %s", (_name, project) => {
    const got = record(run(input, project)).events;
    expect(briefly(got)).not.toContain("-call:c");
    expect(got.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "open-at-finish" });
    expect((got.at(-1) as { message: string }).message).toContain('"c"');
  });

  it("leaves a plain tool call open before the RUN_ERROR of an error", () => {
    const project = (ctx: RunContext) =>
      concat(
        ctx.step("s", [callStart("c")]),
        throwError(() => new Error("cut")),
      );
    const got = record(run(input, project)).events;
    expect(briefly(got)).toBe("+step:s +call:c -step:s RUN_ERROR");
    expect(got.at(-1)).toMatchObject({ message: "cut" });
  });

  it("names the calls that nobody answered, in their order", () => {
    const project = (ctx: RunContext) =>
      concat(
        ctx.toolCall("a"),
        ctx.toolCall("b", { result: () => "done" }),
        of(callStart("plain"), callEnd("plain")),
        of(events.toolCallChunk({ toolCallId: "chunk", toolCallName: "f", delta: "{}" })),
      );
    expect(record(run(input, project)).events.at(-1)).toEqual({
      ...finished,
      outcome: { type: "success", pendingToolCallIds: ["r-call-1", "plain", "chunk"] },
    });
  });

  it("says the outcome, result and usage of ctx.end and of addUsage, usage summed per provider and model", () => {
    const project = (ctx: RunContext) => {
      ctx.addUsage({ provider: "p", model: "m", inputTokens: 1, outputTokens: 2 });
      ctx.end({ outcome: { type: "cancelled" }, result: { a: 1 }, usage: [{ inputTokens: 5 }] });
      ctx.end({ usage: [{ provider: "p", model: "m", inputTokens: 10 }], result: null });
      return ctx.text("still comes");
    };
    const got = record(run(input, project)).events;
    expect(briefly(got)).toContain("+text");
    expect(got.at(-1)).toStrictEqual({
      ...finished,
      outcome: { type: "cancelled" },
      result: null,
      usage: [{ provider: "p", model: "m", inputTokens: 11, outputTokens: 2 }, { inputTokens: 5 }],
    });
  });

  it("reports usage on RUN_ERROR too", () => {
    const project = (ctx: RunContext) => {
      ctx.addUsage({ inputTokens: 1 });
      throw new Error("no");
    };
    expect(record(run(input, project)).events.at(-1)).toMatchObject({ usage: [{ inputTokens: 1 }] });
  });

  it("is the outcome that an async project gives; any other plain value means nothing", async () => {
    const cancelled = await recorded(run(input, async () => ({ type: "cancelled" as const })));
    expect(cancelled.at(-1)).toEqual({ ...finished, outcome: { type: "cancelled" } });
    const text = await recorded(run(input, (async () => "r-msg-1") as unknown as () => Promise<void>));
    expect(text.slice(1)).toEqual([finished]);
  });

  it.each([
    ["a promise of an Observable", async () => of(...message("m"))],
    ["a promise of a list", async () => message("m")],
    ["a promise of an event", async () => message("m")[0]],
    ["a string", () => "text"],
    ["an object", () => ({ ok: true })],
  ])("is RUN_ERROR invalid-project when the project gives %s", async (_name, project) => {
    const got = await recorded(run(input, project as () => void));
    expect(briefly(got)).toBe("RUN_ERROR");
    expect(got.at(-1)).toMatchObject({ code: "invalid-project" });
  });

  it("is the project's own RUN_FINISHED, with what it says kept and the rest filled in", () => {
    const own = events.runFinished({ threadId: "t", runId: "r", result: 7, metadata: { k: 1 } });
    const project = (ctx: RunContext) => {
      ctx.openStep("s");
      ctx.end({ result: 8, usage: [{ inputTokens: 1 }] });
      return of(callStart("c"), callEnd("c"), own, ...message("late"));
    };
    const got = record(run(input, project)).events;
    expect(briefly(got)).toBe("+step:s +call:c -call:c -step:s RUN_FINISHED");
    expect(got.at(-1)).toEqual({
      ...own,
      usage: [{ inputTokens: 1 }],
      outcome: { type: "success", pendingToolCallIds: ["c"] },
    });
  });

  it("is the project's own RUN_ERROR as it is", () => {
    const own = events.runError({ message: "mine", code: "x", metadata: { k: 1 } });
    const got = record(run(input, (ctx) => concat(ctx.text(NEVER).pipe(take(1)), of(own), of(own)))).events;
    expect(briefly(got)).toBe("+text:r-msg-1 -text:r-msg-1 RUN_ERROR");
    expect(got.at(-1)).toEqual(own);
  });

  it.each([
    ["run-mismatch", events.runFinished({ threadId: "t", runId: "other" })],
    ["run-mismatch", events.runFinished({ threadId: "other", runId: "r" })],
    ["duplicate-run-started", events.runStarted({ threadId: "t", runId: "r" })],
    ["not-open", callEnd("c")],
    ["not-open", events.stepFinished({ stepName: "s" })],
    [
      "invalid-outcome",
      events.runFinished({ threadId: "t", runId: "r", outcome: { type: "interrupt", interrupts: [] } }),
    ],
    ["unknown-event", { type: "PRIVATE" } as unknown as AGUIEvent],
    ["unknown-event", null as unknown as AGUIEvent],
  ])("is RUN_ERROR %s when the project sends what breaks that rule", (code, event) => {
    const got = record(run(input, () => of(event, ...message("late")))).events;
    expect(briefly(got)).toBe("RUN_ERROR");
    expect(got.at(-1)).toMatchObject({ code });
  });

  it("refuses to close a step of another owner", () => {
    const project = () =>
      of(events.stepStarted({ stepName: "s", subagentRunId: "a" }), events.stepFinished({ stepName: "s" }));
    const got = record(run(input, project)).events;
    expect(got.at(-1)).toMatchObject({ code: "not-open" });
    expect(got.at(-2)).toEqual(events.stepFinished({ stepName: "s", subagentRunId: "a" }));
  });
});

describe("leaving a run", () => {
  it("aborts ctx.signal synchronously and before the project is left", () => {
    const order: string[] = [];
    const { stop } = record(
      run(input, (ctx) => {
        ctx.signal.addEventListener("abort", () => order.push("aborted"));
        return new Observable<AGUIEvent>(() => () => order.push("left"));
      }),
    );
    stop();
    expect(order).toEqual(["aborted", "left"]);
  });

  it("makes handles and ctx silent", async () => {
    const held: RunContext[] = [];
    const { events: got, stop } = record(
      run(input, (ctx) => {
        held.push(ctx);
        return NEVER;
      }),
    );
    const ctx = held[0]!;
    const call = ctx.openToolCall("f");
    stop();
    call.args("{");
    call.args("}");
    call.end();
    call.end();
    call.result("a");
    call.result("b");
    ctx.openMessage().content("x");
    ctx.emit(callEnd("never"));
    ctx.setState({});
    expect(call.parseArgs()).toEqual({});
    expect(got).toHaveLength(2);
  });

  it("says nothing of an async project that fails afterwards", async () => {
    const unhandled = jest.fn();
    process.on("unhandledRejection", unhandled);
    const { events: got, stop } = record(
      run(input, async () => {
        await settled();
        throw new Error("late");
      }),
    );
    stop();
    await settled();
    await settled();
    process.off("unhandledRejection", unhandled);
    expect(got).toHaveLength(1);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it("sends nothing of a builder that is torn down with the run", () => {
    const { events: got, stop } = record(run(input, (ctx) => ctx.step("s", ctx.text(NEVER))));
    expect(briefly(got)).toBe("+step:s +text:r-msg-1");
    stop();
    expect(got).toHaveLength(3);
  });

  it("is also what happens at the run's end: the signal aborts", async () => {
    const signals: AbortSignal[] = [];
    record(
      run(input, (ctx) => {
        signals.push(ctx.signal);
        return EMPTY;
      }),
    );
    expect(signals[0]!.aborted).toBe(true);
  });
});

describe("options.stop", () => {
  it("closes what is open and ends the run as cancelled, without a result", () => {
    const stop = new AbortController();
    const project = (ctx: RunContext) => {
      ctx.end({ result: 1, usage: [{ inputTokens: 1 }] });
      return ctx.step("s", ctx.toolCall("f", { args: concat(of("{"), NEVER) }));
    };
    const { events: got, end } = record(run(input, project, { stop: stop.signal }));
    expect(end).toBeUndefined();
    stop.abort();
    expect(briefly(got)).toBe("+step:s +call:r-call-1 .call:r-call-1 -call:r-call-1 -step:s RUN_FINISHED");
    expect(got.at(-1)).toEqual({ ...finished, outcome: { type: "cancelled" }, usage: [{ inputTokens: 1 }] });
  });

  it("aborts ctx.signal before the first closing event", () => {
    const stop = new AbortController();
    const order: string[] = [];
    const project = (ctx: RunContext) => {
      ctx.signal.addEventListener("abort", () => order.push("abort"));
      return ctx.text(NEVER);
    };
    run(input, project, { stop: stop.signal }).subscribe(({ type }) => order.push(type));
    stop.abort();
    expect(order).toEqual(["RUN_STARTED", "TEXT_MESSAGE_START", "abort", "TEXT_MESSAGE_END", "RUN_FINISHED"]);
  });

  it("is RUN_ERROR when a plain tool call is open", () => {
    const stop = new AbortController();
    const { events: got } = record(
      run(input, () => concat(of(callStart("c")), NEVER), { stop: stop.signal }),
    );
    stop.abort();
    expect(briefly(got)).toBe("+call:c RUN_ERROR");
    expect(got.at(-1)).toMatchObject({ code: "open-at-finish" });
  });

  it("never starts the project when it aborted before", () => {
    const project = jest.fn(() => EMPTY);
    const got = record(run(input, project, { stop: AbortSignal.abort() })).events;
    expect(got.slice(1)).toEqual([{ ...finished, outcome: { type: "cancelled" } }]);
    expect(project).not.toHaveBeenCalled();
  });

  it("means nothing after the run, and keeps no listener", () => {
    const stop = new AbortController();
    const added = jest.spyOn(stop.signal, "addEventListener");
    const removed = jest.spyOn(stop.signal, "removeEventListener");
    const { events: got } = record(run(input, () => EMPTY, { stop: stop.signal }));
    record(run(input, () => NEVER, { stop: stop.signal })).stop();
    stop.abort();
    expect(got).toHaveLength(2);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      added.mock.calls.map(([, listener]) => listener),
    );
  });
});

describe("re-entrancy", () => {
  it("keeps the order when a subscriber uses a handle inside next", () => {
    const seen: string[] = [];
    let depth = 0;
    const source = run(input, (ctx) => {
      held = ctx;
      const call = ctx.openToolCall("f");
      call.args("{}");
      call.end();
    });
    let held: RunContext | undefined;
    source.subscribe((event) => {
      depth += 1;
      expect(depth).toBe(1);
      if (event.type === "TOOL_CALL_START") {
        const inner = held!.openMessage();
        inner.content("x");
        inner.end();
      }
      seen.push(event.type);
      depth -= 1;
    });
    expect(seen).toEqual([
      "RUN_STARTED",
      "TOOL_CALL_START",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "RUN_FINISHED",
    ]);
  });

  it("ends in order when a subscriber stops the run inside next", () => {
    const stop = new AbortController();
    const seen: AGUIEvent[] = [];
    run(input, (ctx) => ctx.step("s", ctx.text(["a", "b"])), { stop: stop.signal }).subscribe((event) => {
      if (event.type === "TEXT_MESSAGE_START") stop.abort();
      seen.push(event);
    });
    expect(briefly(seen)).toBe("+step:s +text:r-msg-1 -text:r-msg-1 -step:s RUN_FINISHED");
  });

  it("sends nothing more when a subscriber leaves while the run closes", () => {
    const got = record(
      run(input, (ctx) => {
        ctx.openStep("s");
        ctx.openMessage();
      }).pipe(take(4)),
    );
    expect(briefly(got.events)).toBe("+step:s +text:r-msg-1 -text:r-msg-1");
  });
});
