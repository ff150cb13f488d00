import {
  concat,
  delay,
  EMPTY,
  filter,
  map,
  mergeMap,
  NEVER,
  of,
  startWith,
  Subject,
  take,
  tap,
  throwError,
  type MonoTypeOperatorFunction,
} from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { events, run, type AGUIEvent, type RunContext, type RunProject } from "../index.js";
import { briefly, inputOf, record, recorded, settled } from "./run.fixture.js";

const input = inputOf();
type Guard = MonoTypeOperatorFunction<AGUIEvent>;

/** A guard that refuses events of one type. */
const refusing =
  (type: string, rule = "house-rule"): Guard =>
  (source) =>
    source.pipe(
      tap((event) => {
        if (event.type === type) throw Object.assign(new Error(`no ${type}`), { rule });
      }),
    );

const go = (project: RunProject, guard: Guard) => recorded(run(input, project, { guard }));
const answered = async (ctx: RunContext) => void ctx.openToolCall("f").result("x");

describe("a run's guard", () => {
  it("sees every event, RUN_STARTED and the terminal one included", async () => {
    const seen: AGUIEvent[] = [];
    const got = await go(
      answered,
      tap((event) => seen.push(event)),
    );
    expect(seen).toEqual(got);
    expect(seen.map(({ type }) => type)).toEqual([
      "RUN_STARTED",
      "TOOL_CALL_START",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
      "RUN_FINISHED",
    ]);
  });

  it("sees the events that close the run and its RUN_ERROR, when it did not refuse", async () => {
    const seen: AGUIEvent[] = [];
    const got = await go(
      async (ctx) => {
        ctx.openStep("s");
        throw new Error("boom");
      },
      tap((event) => seen.push(event)),
    );
    expect(briefly(seen)).toBe("+step:s -step:s RUN_ERROR");
    expect(seen).toEqual(got);
  });

  it.each([
    ["TOOL_CALL_START", "+step:s -step:s RUN_ERROR"],
    ["TOOL_CALL_ARGS", "+step:s +call:r-call-1 -call:r-call-1 -step:s RUN_ERROR"],
    ["TOOL_CALL_END", "+step:s +call:r-call-1 .call:r-call-1 -call:r-call-1 -step:s RUN_ERROR"],
    ["RUN_STARTED", "RUN_ERROR"],
    ["RUN_FINISHED", "+step:s +call:r-call-1 .call:r-call-1 -call:r-call-1 =call:r-call-1 -step:s RUN_ERROR"],
  ])(
    "that refuses %s ends the run: what the subscriber has open is closed past it",
    async (type, expected) => {
      let refused = false;
      const late: unknown[] = [];
      const guard: Guard = (source) =>
        source.pipe(
          tap((event) => {
            if (refused) late.push(event);
            refused ||= event.type === type;
          }),
          refusing(type),
        );
      const got = await go(async (ctx) => {
        const step = ctx.openStep("s");
        const call = ctx.openToolCall("f");
        call.args("{}");
        call.result("x");
        step.end();
      }, guard);
      expect(briefly(got)).toBe(expected);
      expect(got.at(-1)).toEqual({ type: "RUN_ERROR", message: `no ${type}`, code: "house-rule" });
      expect(late).toEqual([]);
    },
  );

  it("that refuses one of the closing events has the rest close past it", async () => {
    const got = await go(async (ctx) => {
      ctx.openStep("s");
      ctx.openMessage();
    }, refusing("STEP_FINISHED"));
    expect(briefly(got)).toBe("+step:s +text:r-msg-1 -text:r-msg-1 -step:s RUN_ERROR");
  });

  it("that refuses leaves a plain tool call open", async () => {
    const got = await go(
      () =>
        of(
          events.toolCallStart({ toolCallId: "c", toolCallName: "f" }),
          events.custom({ name: "n", value: 1 }),
        ),
      refusing("CUSTOM"),
    );
    expect(briefly(got)).toBe("+call:c RUN_ERROR");
  });

  it("that refuses aborts ctx.signal and leaves the project", async () => {
    const left = jest.fn();
    const signals: AbortSignal[] = [];
    const project = (ctx: RunContext) => {
      signals.push(ctx.signal);
      return concat(ctx.custom("n", 1), NEVER.pipe(tap({ unsubscribe: left })));
    };
    await go(project, (source) => source.pipe(delay(0), refusing("CUSTOM")));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(signals[0]!.aborted).toBe(true);
    expect(left).toHaveBeenCalledTimes(1);
  });

  it("that refuses RUN_STARTED keeps the project from starting", async () => {
    const project = jest.fn(() => EMPTY);
    await go(project, refusing("RUN_STARTED"));
    expect(project).not.toHaveBeenCalled();
  });

  it("that throws when it is made, or errors at once, is RUN_ERROR", async () => {
    const thrower: Guard = () => {
      throw new Error("unmade");
    };
    expect((await go(answered, thrower)).map(({ type }) => type)).toEqual(["RUN_ERROR"]);
    const failing: Guard = () => throwError(() => new Error("unmade"));
    expect((await go(answered, failing)).at(-1)).toMatchObject({ message: "unmade" });
  });

  it.each<[string, Guard]>([
    ["completes early", take(2)],
    ["drops the terminal event", filter(({ type }) => type !== "RUN_FINISHED")],
    ["gives nothing", () => EMPTY],
  ])("that %s gives RUN_ERROR guard-completed", async (_name, guard) => {
    const got = await go(async (ctx) => void ctx.openMessage(), guard);
    expect(got.filter(({ type }) => type === "RUN_ERROR" || type === "RUN_FINISHED")).toHaveLength(1);
    expect(got.at(-1)).toMatchObject({ type: "RUN_ERROR", code: "guard-completed" });
    expect(got.filter(({ type }) => type === "TEXT_MESSAGE_START")).toHaveLength(
      got.filter(({ type }) => type === "TEXT_MESSAGE_END").length,
    );
  });

  it("may change, drop and add events", async () => {
    const note = events.custom({ name: "note", value: 1 });
    const guard: Guard = (source) =>
      source.pipe(
        filter(({ type }) => type !== "TOOL_CALL_RESULT"),
        mergeMap((event) => (event.type === "TOOL_CALL_START" ? [note, event] : [event])),
        map((event) => ({ ...event, timestamp: 1 })),
      );
    const got = await go(answered, guard);
    expect(briefly(got)).toBe("CUSTOM +call:r-call-1 -call:r-call-1 RUN_FINISHED");
    expect(got.every(({ timestamp }) => timestamp === 1)).toBe(true);
  });

  it("may end the run early with a terminal event of its own", async () => {
    const guard: Guard = startWith<AGUIEvent>(events.runError({ message: "closed today" }));
    expect((await go(answered, guard)).map(({ type }) => type)).toEqual(["RUN_ERROR"]);
  });

  it("may take its time: the run waits for the terminal event to pass", () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ cold, flush }) => {
      const got = record(
        run(
          input,
          (ctx) => concat(ctx.text(cold<string>("--a|", { a: "x" })), ctx.text(NEVER).pipe(take(1))),
          {
            guard: delay(10),
          },
        ),
      );
      flush();
      expect(briefly(got.events)).toBe(
        "+text:r-msg-1 .text:r-msg-1 -text:r-msg-1 +text:r-msg-2 -text:r-msg-2 RUN_FINISHED",
      );
      expect(got.end).toBe("complete");
    });
  });

  it("that is slow and refuses closes what had passed it, and no more", () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ flush }) => {
      const guard: Guard = (source) => source.pipe(delay(10), refusing("TEXT_MESSAGE_CONTENT"));
      const got = record(run(input, (ctx) => ctx.step("s", concat(ctx.text("a"), ctx.text("b"))), { guard }));
      flush();
      expect(briefly(got.events)).toBe("+step:s +text:r-msg-1 -text:r-msg-1 -step:s RUN_ERROR");
    });
  });

  it("is left when the subscriber leaves", () => {
    const left = jest.fn();
    const { stop } = record(run(input, () => NEVER, { guard: tap({ unsubscribe: left }) }));
    stop();
    expect(left).toHaveBeenCalledTimes(1);
  });

  it("is made once for each subscription", async () => {
    const guard = jest.fn((source) => source) as unknown as Guard;
    const source = run(input, () => EMPTY, { guard });
    await recorded(source);
    await recorded(source);
    expect(guard).toHaveBeenCalledTimes(2);
  });

  it("keeps the order when a subscriber uses a handle inside next", async () => {
    const turn = new Subject<void>();
    const seen: AGUIEvent[] = [];
    run(
      input,
      async (ctx) => {
        turn.subscribe(() => ctx.openMessage().end());
        ctx.openToolCall("f").result("x");
      },
      { guard: map((event) => event) },
    ).subscribe((event) => {
      if (event.type === "TOOL_CALL_START") turn.next();
      seen.push(event);
    });
    await settled();
    expect(briefly(seen)).toBe(
      "+call:r-call-1 +text:r-msg-2 -text:r-msg-2 -call:r-call-1 =call:r-call-1 RUN_FINISHED",
    );
  });

  it("ends the run for the handles too", async () => {
    const caught: unknown[] = [];
    await go(async (ctx) => {
      const call = ctx.openToolCall("f");
      try {
        call.args("{}");
        call.args("{}");
      } catch (error) {
        caught.push(error);
      }
    }, refusing("TOOL_CALL_ARGS"));
    expect(caught).toEqual([expect.objectContaining({ code: "run-closed" })]);
  });
});
