import {
  catchError,
  concat,
  delay,
  EMPTY,
  filter,
  from,
  map,
  merge,
  NEVER,
  of,
  retry,
  Subject,
  switchMap,
  take,
  takeUntil,
  throwError,
  type Observable,
} from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { z } from "zod";
import { events, run, type AGUIEvent, type RunContext, type RunOptions } from "../index.js";
import { briefly, faultsOf, inputOf, record, recorded, settled } from "./run.fixture.js";

const input = inputOf();
type Project = (ctx: RunContext) => Observable<AGUIEvent>;
const go = (project: Project, options?: RunOptions) => record(run(input, project, options)).events;
const deltas = (got: readonly AGUIEvent[]) => got.flatMap((event) => ("delta" in event ? [event.delta] : []));
const error = new Error("boom");

describe("the declarative builders", () => {
  it.each<[string, Project, string]>([
    ["text", (ctx) => ctx.text("a"), "+text:r-msg-1 .text:r-msg-1 -text:r-msg-1"],
    [
      "reasoning",
      (ctx) => ctx.reasoning("a"),
      "+span:r-msg-1 +thought:r-msg-1 .thought:r-msg-1 -thought:r-msg-1 -span:r-msg-1",
    ],
    [
      "a call for the client",
      (ctx) => ctx.toolCall("f", { args: {} }),
      "+call:r-call-1 .call:r-call-1 -call:r-call-1",
    ],
    [
      "an answered call",
      (ctx) => ctx.toolCall("f", { result: () => 1 }),
      "+call:r-call-1 -call:r-call-1 =call:r-call-1",
    ],
    ["a step", (ctx) => ctx.step("s", ctx.custom("n", 1)), "+step:s CUSTOM -step:s"],
    ["an activity", (ctx) => ctx.activity("plan", { a: 1 }), "ACTIVITY_SNAPSHOT"],
    [
      "a subagent",
      (ctx) => ctx.subagent("n", [events.custom({ name: "n", value: 1 })]),
      "+sub:r-subagent-1 CUSTOM -sub:r-subagent-1",
    ],
  ])("give the events of %s", (_name, project, expected) => {
    const got = go(project);
    expect(briefly(got)).toBe(`${expected} RUN_FINISHED`);
    expect(faultsOf(got)).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    ["a string as one fragment", "ab", ["ab"]],
    ["an empty string as one fragment", "", [""]],
    ["an iterable's values as fragments", ["a", "", "b"], ["a", "", "b"]],
    ["an Observable's values as fragments", of("a", "b"), ["a", "b"]],
    ["an object as JSON", { a: [1] }, ['{"a":[1]}']],
    ["a number as JSON", 5, ["5"]],
    ["null as JSON", null, ["null"]],
    ["undefined as nothing", undefined, []],
  ])("send %s", (_name, content, expected) => {
    expect(deltas(go((ctx) => ctx.text(content as string)))).toEqual(expected);
    expect(deltas(go((ctx) => ctx.toolCall("f", { args: content as string })))).toEqual(expected);
  });

  it.each<[string, unknown, string[]]>([
    ["a promise's string", Promise.resolve("ab"), ["ab"]],
    ["a promise's value as JSON", Promise.resolve({ a: 1 }), ['{"a":1}']],
    [
      "an async iterable's values",
      (async function* () {
        yield "a";
        yield "b";
      })(),
      ["a", "b"],
    ],
  ])("send %s", async (_name, content, expected) => {
    expect(deltas(await recorded(run(input, (ctx) => ctx.text(content as string))))).toEqual(expected);
  });

  it("refuse a fragment that is no string, after the end of what was open", () => {
    const got = go((ctx) => ctx.text(of("a", 5 as unknown as string)));
    expect(briefly(got)).toBe("+text:r-msg-1 .text:r-msg-1 -text:r-msg-1 RUN_ERROR");
    expect(got.at(-1)).toMatchObject({ code: "invalid-fragment" });
  });

  it.each<[string, Project, string]>([
    ["text", (ctx) => ctx.text(throwError(() => error)), "+text:r-msg-1 -text:r-msg-1"],
    [
      "reasoning",
      (ctx) => ctx.reasoning(throwError(() => error)),
      "+span:r-msg-1 +thought:r-msg-1 -thought:r-msg-1 -span:r-msg-1",
    ],
    [
      "a call's arguments",
      (ctx) => ctx.toolCall("f", { args: throwError(() => error) }),
      "+call:r-call-1 -call:r-call-1",
    ],
    [
      "a call's result",
      (ctx) =>
        ctx.toolCall("f", {
          result: () => {
            throw error;
          },
        }),
      "+call:r-call-1 -call:r-call-1",
    ],
    [
      "a step",
      (ctx) =>
        ctx.step(
          "s",
          throwError(() => error),
        ),
      "+step:s -step:s",
    ],
    [
      "a subagent",
      (ctx) =>
        ctx.subagent(
          "n",
          throwError(() => error),
        ),
      "+sub:r-subagent-1 !sub:r-subagent-1",
    ],
  ])("send the end event when the source of %s errors, then the error", (_name, project, expected) => {
    expect(briefly(go(project))).toBe(`${expected} RUN_ERROR`);
    const caught = go((ctx) => project(ctx).pipe(catchError(() => ctx.custom("caught", 1))));
    expect(briefly(caught)).toBe(`${expected} CUSTOM RUN_FINISHED`);
  });

  it("make a new entity for each subscription", () => {
    let failures = 1;
    const got = go((ctx) => {
      const flaky = ctx.toolCall("f", {
        result: () => {
          if (failures-- > 0) throw error;
          return "ok";
        },
      });
      return flaky.pipe(retry(1));
    });
    expect(briefly(got)).toBe(
      "+call:r-call-1 -call:r-call-1 +call:r-call-2 -call:r-call-2 =call:r-call-2 RUN_FINISHED",
    );
  });

  it("take ids and facts of the caller's", () => {
    const metadata = { k: 1 };
    const got = go((ctx) =>
      concat(
        ctx.text("a", { messageId: "m", role: "developer", name: "n", metadata }),
        ctx.reasoning("a", { messageId: "x" }),
        ctx.toolCall("f", { toolCallId: "c", resultMessageId: "rm", parentMessageId: "m", result: () => "" }),
        ctx.activity("plan", {}, { messageId: "a", replace: false }),
        ctx.subagent("n", [], { subagentRunId: "sub", description: "d", parentToolCallId: "c" }),
        ctx.step("s", [], { subagentRunId: "sub" }),
      ),
    );
    expect(got.filter(({ type }) => /START|SNAPSHOT|RESULT|STEP/.test(type)).slice(1)).toEqual([
      { type: "TEXT_MESSAGE_START", messageId: "m", role: "developer", name: "n", metadata },
      { type: "REASONING_START", messageId: "x" },
      { type: "REASONING_MESSAGE_START", messageId: "x", role: "reasoning" },
      { type: "TOOL_CALL_START", toolCallId: "c", toolCallName: "f", parentMessageId: "m" },
      { type: "TOOL_CALL_RESULT", role: "tool", toolCallId: "c", messageId: "rm", content: "" },
      { type: "ACTIVITY_SNAPSHOT", messageId: "a", activityType: "plan", content: {}, replace: false },
      { type: "SUBAGENT_STARTED", subagentRunId: "sub", name: "n", description: "d", parentToolCallId: "c" },
      { type: "STEP_STARTED", stepName: "s", subagentRunId: "sub" },
      { type: "STEP_FINISHED", stepName: "s", subagentRunId: "sub" },
    ]);
  });

  it("never hold undefined fields", () => {
    const got = go((ctx) =>
      concat(ctx.text("a", { name: undefined }), ctx.subagent("n", [], { description: undefined })),
    );
    expect(got.flatMap((event) => Object.values(event))).not.toContain(undefined);
  });
});

describe("a builder that is unsubscribed inside a living run", () => {
  it("gets its end event once from the run, before what replaces it", () => {
    const turns = new Subject<string>();
    const { events: got } = record(
      run(input, (ctx) => turns.pipe(switchMap((turn) => ctx.step(turn, ctx.text(concat(of(turn), NEVER)))))),
    );
    turns.next("a");
    turns.next("b");
    expect(briefly(got)).toBe(
      "+step:a +text:r-msg-1 .text:r-msg-1 -text:r-msg-1 -step:a +step:b +text:r-msg-2 .text:r-msg-2",
    );
  });

  it.each<[string, (ctx: RunContext) => Observable<AGUIEvent>, string]>([
    ["text", (ctx) => ctx.text(NEVER), "+text:r-msg-1 -text:r-msg-1"],
    [
      "reasoning",
      (ctx) => ctx.reasoning(NEVER),
      "+span:r-msg-1 +thought:r-msg-1 -thought:r-msg-1 -span:r-msg-1",
    ],
    ["a call's arguments", (ctx) => ctx.toolCall("f", { args: NEVER }), "+call:r-call-1 -call:r-call-1"],
    ["a call's result", (ctx) => ctx.toolCall("f", { result: () => NEVER }), "+call:r-call-1 -call:r-call-1"],
    ["a step", (ctx) => ctx.step("s", NEVER), "+step:s -step:s"],
    ["a subagent", (ctx) => ctx.subagent("n", NEVER), "+sub:r-subagent-1 !sub:r-subagent-1"],
  ])("gets its end event by takeUntil: %s", (_name, builder, expected) => {
    const cut = new Subject<void>();
    const { events: got } = record(
      run(input, (ctx) => concat(builder(ctx).pipe(takeUntil(cut)), ctx.custom("after", 1), NEVER)),
    );
    cut.next();
    expect(briefly(got)).toBe(`${expected} CUSTOM`);
    expect(faultsOf([...got, events.runFinished({ threadId: "t", runId: "r" })])).toEqual([]);
  });

  it("gets it by take, in the middle of a synchronous source", () => {
    expect(briefly(go((ctx) => concat(ctx.text(["a", "b", "c"]).pipe(take(2)), ctx.text("d"))))).toBe(
      "+text:r-msg-1 .text:r-msg-1 -text:r-msg-1 +text:r-msg-2 .text:r-msg-2 -text:r-msg-2 RUN_FINISHED",
    );
  });

  it("gets it when the subscriber of the run makes it happen inside next", () => {
    const cut = new Subject<void>();
    const seen: AGUIEvent[] = [];
    run(input, (ctx) => concat(ctx.text(["a", "b"]).pipe(takeUntil(cut)), ctx.custom("after", 1))).subscribe(
      (event) => {
        if (event.type === "TEXT_MESSAGE_CONTENT") cut.next();
        seen.push(event);
      },
    );
    expect(briefly(seen)).toBe("+text:r-msg-1 .text:r-msg-1 -text:r-msg-1 CUSTOM RUN_FINISHED");
  });

  it("gets it after those of its events that were still on their way", () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ cold, flush }) => {
      const cut = cold("--(x|)");
      const seen: AGUIEvent[] = [];
      run(input, (ctx) =>
        concat(ctx.text(concat(of("a", "b"), NEVER)).pipe(takeUntil(cut)), ctx.text("c")).pipe(
          delay(5),
          map((event) => ({ ...event, timestamp: 1 })),
        ),
      ).subscribe((event) => seen.push(event));
      flush();
      expect(faultsOf(seen)).toEqual([]);
      expect(briefly(seen)).toBe(
        "+text:r-msg-1 .text:r-msg-1 .text:r-msg-1 -text:r-msg-1 " +
          "+text:r-msg-2 .text:r-msg-2 -text:r-msg-2 RUN_FINISHED",
      );
    });
  });

  it("has nothing to end when its opening event was dropped on the way", () => {
    const dropped = go((ctx) =>
      concat(
        ctx.text(concat(of("a"), NEVER)).pipe(
          filter(() => false),
          takeUntil(of(1)),
        ),
        ctx.text(["a"]).pipe(filter(() => false)),
      ),
    );
    expect(briefly(dropped)).toBe("RUN_FINISHED");
  });

  it("is ended by the run's end when its end event was dropped on the way", () => {
    const got = go((ctx) =>
      concat(ctx.text("a").pipe(filter(({ type }) => type !== "TEXT_MESSAGE_END")), ctx.custom("after", 1)),
    );
    expect(briefly(got)).toBe("+text:r-msg-1 .text:r-msg-1 CUSTOM -text:r-msg-1 RUN_FINISHED");
  });

  it("is closed like the others by an error beside it", () => {
    const got = go((ctx) =>
      merge(
        ctx.step("a", ctx.text(NEVER)),
        ctx.step("b", NEVER),
        throwError(() => error),
      ),
    );
    expect(briefly(got)).toBe("+step:a +text:r-msg-1 +step:b -step:b -text:r-msg-1 -step:a RUN_ERROR");
  });

  it("tells its work by call.signal", () => {
    const cut = new Subject<void>();
    const signals: AbortSignal[] = [];
    record(
      run(input, (ctx) =>
        concat(
          ctx
            .toolCall("f", {
              result: (_args, call) => {
                signals.push(call.signal);
                return NEVER;
              },
            })
            .pipe(takeUntil(cut)),
          NEVER,
        ),
      ),
    );
    expect(signals[0]!.aborted).toBe(false);
    cut.next();
    expect(signals[0]!.aborted).toBe(true);
  });
});

describe("ctx.toolCall", () => {
  const resultOf = (got: readonly AGUIEvent[]) =>
    got.flatMap((event) => (event.type === "TOOL_CALL_RESULT" ? [event.content] : []))[0];

  it.each<[string, () => unknown, unknown]>([
    ["text as it is", () => "21 degrees", "21 degrees"],
    ["a value as JSON", () => ({ a: 1 }), '{"a":1}'],
    ["a list as JSON", () => [1, 2], "[1,2]"],
    ["null as JSON", () => null, "null"],
    ["nothing as empty text", () => undefined, ""],
    ["content parts as they are", () => [{ type: "text", text: "a" }], [{ type: "text", text: "a" }]],
    ["a promise's value", async () => ({ a: 1 }), '{"a":1}'],
    ["the last value of an Observable", () => of("a", "b"), "b"],
    ["an empty Observable as empty text", () => EMPTY, ""],
    [
      "the last value of an async generator",
      async function* () {
        yield "a";
        yield "b";
      },
      "b",
    ],
  ])("answers with %s", async (_name, result, content) => {
    const got = await recorded(run(input, (ctx) => ctx.toolCall("f", { result })));
    expect(resultOf(got)).toEqual(content);
    expect(briefly(got)).toBe("+call:r-call-1 -call:r-call-1 =call:r-call-1 RUN_FINISHED");
  });

  it("gives result the parsed arguments, whatever pieces they came in, and {} when there are none", () => {
    const seen: unknown[] = [];
    const result = (args: unknown) => void seen.push(args);
    go((ctx) =>
      concat(
        ctx.toolCall("f", { args: from(['{"city":', '"Seoul"}']), result }),
        ctx.toolCall("f", { args: { city: "Seoul" }, result: ({ city }) => void seen.push(city.length) }),
        ctx.toolCall("f", { result }),
      ),
    );
    expect(seen).toEqual([{ city: "Seoul" }, 5, {}]);
  });

  it("validates and types the arguments by a schema", () => {
    const schema = z.object({ city: z.string(), days: z.number().default(3) });
    const got = go((ctx) =>
      ctx.toolCall("f", { args: '{"city":"Seoul"}', schema, result: ({ city, days }) => city.repeat(days) }),
    );
    expect(resultOf(got)).toBe("SeoulSeoulSeoul");
  });

  it.each([
    ["invalid-arguments", '{"city":5}', true],
    ["invalid-arguments", '{"city":5}', false],
    ["invalid-arguments", "{nonsense", true],
    ["incomplete-arguments", '{"city":"Seo', true],
  ])("ends the call and fails with %s for %s", (code, args, answered) => {
    const schema = z.object({ city: z.string() });
    const result = jest.fn();
    const got = go((ctx) => ctx.toolCall("f", { args, schema, ...(answered && { result }) }));
    expect(briefly(got)).toBe("+call:r-call-1 .call:r-call-1 -call:r-call-1 RUN_ERROR");
    expect(got.at(-1)).toMatchObject({ code });
    expect(result).not.toHaveBeenCalled();
  });

  it("keeps what result sends and publishes inside the bracket", () => {
    const got = go((ctx) =>
      ctx.toolCall("f", {
        args: { title: "ship it" },
        result: (args, call) => {
          call.emit(events.custom({ name: "progress", value: call.rawArgs.length }));
          call.updateState(() => ({ tasks: [args.title] }));
          call.setState({ tasks: [args.title] });
          return call.resultMessageId;
        },
      }),
    );
    expect(briefly(got)).toBe(
      "+call:r-call-1 .call:r-call-1 CUSTOM STATE_SNAPSHOT -call:r-call-1 =call:r-call-1 RUN_FINISHED",
    );
    expect(resultOf(got)).toBe("r-msg-1");
  });

  it("refuses to send anything for a call that has ended, naming it, and is silent for one that was cut", async () => {
    const errors: unknown[] = [];
    const cut = new Subject<void>();
    const { events: got } = record(
      run(input, (ctx) => {
        const late = (work: unknown) =>
          ctx.toolCall("f", {
            result: (_args, call) => {
              setImmediate(() => {
                try {
                  call.emit(events.custom({ name: "late", value: 1 }));
                } catch (thrown) {
                  errors.push(thrown);
                }
              });
              return work;
            },
          });
        return merge(late("now"), late(NEVER).pipe(takeUntil(cut)), NEVER);
      }),
    );
    cut.next();
    await settled();
    expect(briefly(got)).not.toContain("CUSTOM");
    expect(errors).toHaveLength(1);
    expect(errors[0]).toMatchObject({ code: "bracket-closed", id: "r-call-1" });
    expect((errors[0] as Error).message).toContain('tool call "r-call-1"');
  });
});

describe("ctx.subagent", () => {
  it("tags what stands inside it, nested subagents as its children", () => {
    const got = go((ctx) =>
      ctx.subagent(
        "outer",
        concat(
          ctx.step("s", ctx.text("a")),
          ctx.subagent("inner", ctx.custom("n", 1)),
          of(events.messagesSnapshot({ messages: [] })),
        ),
      ),
    );
    expect(faultsOf(got)).toEqual([]);
    const tags = got.map((event) => ("subagentRunId" in event ? event.subagentRunId : "none"));
    const outer = "r-subagent-1";
    const inner = "r-subagent-2";
    expect(tags).toEqual(["none", ...Array(6).fill(outer), inner, inner, inner, "none", outer, "none"]);
    expect(got.find((event) => event.type === "SUBAGENT_STARTED" && event.name === "inner")).toMatchObject({
      parentSubagentRunId: outer,
    });
  });

  it("closes what stands open inside it with its tag when it is unsubscribed", () => {
    const cut = new Subject<void>();
    const { events: got } = record(
      run(input, (ctx) =>
        merge(ctx.subagent("n", ctx.step("s", ctx.text(NEVER))).pipe(takeUntil(cut)), NEVER),
      ),
    );
    cut.next();
    expect(got.slice(4)).toEqual([
      { type: "TEXT_MESSAGE_END", messageId: "r-msg-1", subagentRunId: "r-subagent-1" },
      { type: "STEP_FINISHED", stepName: "s", subagentRunId: "r-subagent-1" },
      {
        type: "SUBAGENT_ERROR",
        subagentRunId: "r-subagent-1",
        message: expect.any(String),
        code: "cancelled",
      },
    ]);
  });

  it("describes its error as the run does", () => {
    const project: Project = (ctx) =>
      ctx
        .subagent(
          "n",
          throwError(() => error),
        )
        .pipe(catchError(() => EMPTY));
    expect(go(project)[2]).toMatchObject({ type: "SUBAGENT_ERROR", message: "boom" });
    expect(go(project, { describeError: () => ({ message: "Sorry." }) })[2]).toMatchObject({
      message: "Sorry.",
    });
  });
});

describe("ctx.activity", () => {
  it("sends its first content whole and then what changes", () => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ index, done: false }));
    const got = go((ctx) =>
      ctx.activity("plan", of({ rows }, { rows }, { rows, title: "t" }), { replace: false }),
    );
    expect(got.slice(1, -1)).toEqual([
      {
        type: "ACTIVITY_SNAPSHOT",
        messageId: "r-msg-1",
        activityType: "plan",
        content: { rows },
        replace: false,
      },
      {
        type: "ACTIVITY_DELTA",
        messageId: "r-msg-1",
        activityType: "plan",
        patch: [{ op: "add", path: "/title", value: "t" }],
      },
    ]);
  });
});
