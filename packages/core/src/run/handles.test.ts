import { NEVER } from "rxjs";
import { z } from "zod";
import { events, run, type AGUIEvent, type RunContext } from "../index.js";
import { dispose } from "./dispose.js";
import { briefly, faultsOf, inputOf, record, recorded, settled } from "./run.fixture.js";

const input = inputOf();
const go = (project: (ctx: RunContext) => void | Promise<void>, wanted = input) =>
  recorded(run(wanted, project));
const thrown = (act: () => unknown): unknown => {
  try {
    act();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("a tool call's handle", () => {
  it("sends START, ARGS, END, RESULT; its result message's id is known before", async () => {
    let early: string | undefined;
    let given: string | undefined;
    const got = await go((ctx) => {
      const call = ctx.openToolCall("get_weather");
      early = call.resultMessageId;
      call.argsJson({ city: "Seoul" });
      given = call.resultJson({ tempC: 21 });
    });
    expect(briefly(got)).toBe("+call:r-call-1 .call:r-call-1 -call:r-call-1 =call:r-call-1 RUN_FINISHED");
    expect([early, given]).toEqual(["r-msg-1", "r-msg-1"]);
    expect(got.at(-2)).toEqual({
      type: "TOOL_CALL_RESULT",
      role: "tool",
      toolCallId: "r-call-1",
      messageId: "r-msg-1",
      content: '{"tempC":21}',
    });
  });

  it("keeps its ids when two are answered in the other order", async () => {
    const got = await go((ctx) => {
      const [a, b] = [ctx.openToolCall("a"), ctx.openToolCall("b")];
      b.result("second");
      a.result([{ type: "text", text: "first" }]);
    });
    expect(got.filter(({ type }) => type === "TOOL_CALL_RESULT")).toEqual([
      {
        type: "TOOL_CALL_RESULT",
        role: "tool",
        toolCallId: "r-call-2",
        messageId: "r-msg-2",
        content: "second",
      },
      {
        type: "TOOL_CALL_RESULT",
        role: "tool",
        toolCallId: "r-call-1",
        messageId: "r-msg-1",
        content: [{ type: "text", text: "first" }],
      },
    ]);
    expect(got.at(-1)).not.toHaveProperty("outcome");
  });

  it("is left to the client when it is ended without a result", async () => {
    const got = await go((ctx) => ctx.openToolCall("open_panel").end());
    expect(briefly(got)).toBe("+call:r-call-1 -call:r-call-1 RUN_FINISHED");
    expect(got.at(-1)).toMatchObject({ outcome: { type: "success", pendingToolCallIds: ["r-call-1"] } });
  });

  it("may be answered later than it was ended", async () => {
    const got = await go((ctx) => {
      const call = ctx.openToolCall("f");
      call.end();
      ctx.openMessage().end();
      call.result("late");
    });
    expect(briefly(got)).toBe(
      "+call:r-call-1 -call:r-call-1 +text:r-msg-2 -text:r-msg-2 =call:r-call-1 RUN_FINISHED",
    );
  });

  it.each<[string, (ctx: RunContext) => void | Promise<void>]>([
    ["returning", (ctx) => void ctx.openToolCall("f").args("{}")],
    [
      "throwing",
      (ctx) => {
        ctx.openToolCall("f").args("{}");
        throw new Error("boom");
      },
    ],
    [
      "the end of a using block",
      (ctx) => {
        const call = ctx.openToolCall("f");
        call.args("{}");
        call[dispose]();
        call[dispose]();
      },
    ],
    [
      "an exception out of a using block",
      async (ctx) => {
        const call = ctx.openToolCall("f");
        try {
          call.args("{}");
          await settled();
          throw new Error("boom");
        } finally {
          call[dispose]();
        }
      },
    ],
    [
      "a using block around an answered call",
      (ctx) => {
        const call = ctx.openToolCall("f");
        call.args("{}");
        call.result("x");
        call[dispose]();
      },
    ],
  ])("is ended exactly once by %s", async (_name, project) => {
    const { events: got } = record(run(input, project));
    await settled();
    await settled();
    expect(got.filter(({ type }) => type === "TOOL_CALL_END")).toHaveLength(1);
    expect(faultsOf(got)).toEqual([]);
  });

  it("is disposed of in silence after the run, which has ended it", async () => {
    const stop = new AbortController();
    const after: unknown[] = [];
    const { events: got } = record(
      run(
        input,
        async (ctx) => {
          const call = ctx.openToolCall("f");
          await settled();
          after.push(thrown(() => call[dispose]()));
        },
        { stop: stop.signal },
      ),
    );
    stop.abort();
    await settled();
    await settled();
    expect(after).toEqual([undefined]);
    expect(briefly(got)).toBe("+call:r-call-1 -call:r-call-1 RUN_FINISHED");
  });

  it.each<[string, string, (ctx: RunContext) => void]>([
    [
      "end after end",
      "bracket-closed",
      (ctx) => {
        const call = ctx.openToolCall("f");
        call.end();
        call.end();
      },
    ],
    [
      "args after end",
      "bracket-closed",
      (ctx) => {
        const call = ctx.openToolCall("f");
        call.end();
        call.args("{}");
      },
    ],
    [
      "end after result",
      "bracket-closed",
      (ctx) => {
        const call = ctx.openToolCall("f");
        call.result("x");
        call.end();
      },
    ],
    [
      "result after result",
      "already-answered",
      (ctx) => {
        const call = ctx.openToolCall("f");
        call.result("x");
        call.resultJson(1);
      },
    ],
    [
      "state after end",
      "bracket-closed",
      (ctx) => {
        const call = ctx.openToolCall("f");
        call.end();
        call.updateState(() => ({ a: 1 }));
      },
    ],
    [
      "a second start of its id",
      "duplicate-start",
      (ctx) => {
        ctx.openToolCall("f", { toolCallId: "r-call-1" });
        ctx.openToolCall("f", { toolCallId: "r-call-1" });
      },
    ],
    ["a fragment that is no string", "invalid-fragment", (ctx) => ctx.openToolCall("f").args({} as string)],
  ])("throws at %s, naming the call", async (_name, code, project) => {
    const got = await go(project);
    expect(faultsOf(got)).toEqual([]);
    expect(got.at(-1)).toMatchObject({ type: "RUN_ERROR", code });
    if (code !== "invalid-fragment")
      expect((got.at(-1) as { message: string }).message).toContain("r-call-1");
  });

  it("gives back the id of its tool message, and the run's signal", async () => {
    await go((ctx) => {
      const call = ctx.openToolCall("f", { resultMessageId: "mine" });
      expect(call.signal).toBe(ctx.signal);
      expect(call.result("x")).toBe("mine");
    });
  });

  it("keeps state published while it is open inside its bracket, and the run has it afterwards", async () => {
    interface Board {
      tasks: string[];
    }
    const got = await recorded(
      run<Board>(inputOf({ state: { tasks: [] } }), async (ctx) => {
        const call = ctx.openToolCall("add_task");
        call.argsJson({ title: "ship it" });
        call.updateState((state) => ({ ...state, tasks: [...state.tasks, "ship it"] }));
        call.updateState((state) => state);
        call.resultJson({ ok: true });
        expect(ctx.state).toEqual({ tasks: ["ship it"] });
        expect(call.state).toBe(ctx.state);
      }),
    );
    expect(briefly(got)).toBe(
      "+call:r-call-1 .call:r-call-1 STATE_SNAPSHOT -call:r-call-1 =call:r-call-1 RUN_FINISHED",
    );
  });
});

describe("parseArgs", () => {
  const withCall = async (act: (call: ReturnType<RunContext["openToolCall"]>) => void) => {
    const got = await go((ctx) => act(ctx.openToolCall("get_weather")));
    expect(got.at(-1)).toMatchObject({ type: "RUN_FINISHED" });
  };

  it("throws while the JSON is partial, naming the call and what is missing, and gives the value after", () =>
    withCall((call) => {
      call.args('{"city":');
      const error = thrown(() => call.parseArgs());
      expect(error).toMatchObject({ code: "incomplete-arguments", toolCallId: "r-call-1" });
      expect((error as Error).message).toMatch(/"r-call-1" \("get_weather"\).*value/);
      call.args('"Seoul"}');
      expect(call.rawArgs).toBe('{"city":"Seoul"}');
      expect(call.parseArgs<{ city: string }>().city).toBe("Seoul");
    }));

  it("reads no text at all as {} once the call has ended, and not before", () =>
    withCall((call) => {
      expect(thrown(() => call.parseArgs())).toMatchObject({ code: "incomplete-arguments" });
      call.end();
      expect(call.parseArgs()).toEqual({});
    }));

  it("refuses what is no JSON", () =>
    withCall((call) => {
      call.args("city: Seoul");
      expect(thrown(() => call.parseArgs())).toMatchObject({ code: "invalid-arguments" });
    }));

  it("validates by a zod schema and is typed by it, and says where a value does not fit, never the value", () =>
    withCall((call) => {
      call.argsJson({ city: "secret-city", days: "2" });
      const good = z.object({ city: z.string(), days: z.coerce.number() });
      const value: { city: string; days: number } = call.parseArgs(good);
      expect(value).toEqual({ city: "secret-city", days: 2 });
      const error = thrown(() => call.parseArgs(z.object({ days: z.number() })));
      expect(error).toMatchObject({ code: "invalid-arguments" });
      expect((error as Error).message).toContain("days");
      expect((error as Error).message).not.toContain("secret-city");
    }));

  it("refuses a schema that answers later", () =>
    withCall((call) => {
      call.argsJson({});
      expect(thrown(() => call.parseArgs(z.object({}).refine(async () => true)))).toMatchObject({
        code: "async-schema",
      });
    }));
});

describe("the other handles", () => {
  it("interleave, live", async () => {
    const got = await go(async (ctx) => {
      const step = ctx.openStep("s");
      const message = ctx.openMessage();
      const thought = ctx.openReasoning();
      message.content("a");
      thought.content("b");
      await settled();
      message.content("c");
      expect([message.text, thought.text]).toEqual(["ac", "b"]);
      thought.end();
      message.end();
      step.end();
    });
    expect(briefly(got.slice(0, 9))).toBe(
      "+step:s +text:r-msg-1 +span:r-msg-2 +thought:r-msg-2 .text:r-msg-1 .thought:r-msg-2 .text:r-msg-1 -thought:r-msg-2",
    );
    expect(faultsOf(got)).toEqual([]);
  });

  it.each<[string, (ctx: RunContext) => { end(): void; [key: symbol]: unknown }]>([
    ["a message", (ctx) => ctx.openMessage() as never],
    ["reasoning", (ctx) => ctx.openReasoning() as never],
    ["a step", (ctx) => ctx.openStep("s") as never],
  ])("end once, and refuse a second end: %s", async (_name, open) => {
    const ended = await go((ctx) => open(ctx).end());
    const disposed = await go((ctx) => {
      const handle = open(ctx);
      (handle[dispose] as () => void)();
      (handle[dispose] as () => void)();
    });
    expect(disposed).toEqual(ended);
    expect(faultsOf(ended)).toEqual([]);
    const twice = await go((ctx) => {
      const handle = open(ctx);
      handle.end();
      handle.end();
    });
    expect(twice.at(-1)).toMatchObject({ code: "bracket-closed" });
    expect(faultsOf(twice)).toEqual([]);
  });

  it("belong to the subagent they are opened for, to their end", async () => {
    const got = await go((ctx) => {
      const owner = { subagentRunId: "sub" };
      ctx.openMessage(owner).content("a");
      ctx.openToolCall("f", owner).result("x");
      ctx.openStep("s", owner);
    });
    const tags = got.slice(1, -1).map((event) => ("subagentRunId" in event ? event.subagentRunId : "none"));
    expect(new Set(tags)).toEqual(new Set(["sub"]));
  });
});

describe("after the terminal event", () => {
  it("whatever sends throws RunClosedError", async () => {
    const held: RunContext[] = [];
    const got = await go((ctx) => void held.push(ctx));
    const [ctx] = held as [RunContext];
    const uses: (() => unknown)[] = [
      () => ctx.openToolCall("f"),
      () => ctx.openMessage(),
      () => ctx.openStep("s"),
      () => ctx.emit(events.custom({ name: "n", value: 1 })),
      () => ctx.setState({}),
    ];
    for (const use of uses) expect(thrown(use)).toMatchObject({ code: "run-closed", runId: "r" });
    expect(got).toHaveLength(2);
  });

  it("a handle that the run has ended throws it too", async () => {
    const calls: ReturnType<RunContext["openToolCall"]>[] = [];
    await go((ctx) => void calls.push(ctx.openToolCall("f")));
    const [call] = calls as [ReturnType<RunContext["openToolCall"]>];
    for (const use of [
      () => call.args(""),
      () => call.end(),
      () => call.result(""),
      () => call.setState({}),
    ]) {
      expect(thrown(use)).toMatchObject({ code: "run-closed" });
    }
    expect(call.parseArgs()).toEqual({});
  });
});

describe("the context", () => {
  it("tells of the input", async () => {
    const tool = { name: "f", description: "", parameters: {} };
    const wanted = inputOf({
      tools: [tool],
      messages: [
        { id: "1", role: "user", content: "first" },
        {
          id: "2",
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "image", source: { type: "url", value: "http://x" } },
            { type: "text", text: "b" },
          ],
        },
        { id: "3", role: "assistant", content: "x" },
      ],
    });
    await go((ctx) => {
      expect([ctx.threadId, ctx.runId, ctx.lastUserText]).toEqual(["t", "r", "ab"]);
      expect(ctx.messages).toBe(wanted.messages);
      expect([ctx.tool("f"), ctx.tool("g")]).toEqual([tool, undefined]);
      expect(ctx.tools).toEqual([tool]);
    }, wanted);
  });

  it("takes lists that JSON left out as empty, and a missing state as {}", async () => {
    const bare = { threadId: "t", runId: "r" } as never;
    await go((ctx) => {
      expect([ctx.messages, ctx.tools, ctx.lastUserText, ctx.state]).toEqual([[], [], undefined, {}]);
      expect(ctx.claimToolCallId("a")).toBe("a");
    }, bare);
  });

  it("counts ids per run, past those that the input has", async () => {
    const wanted = inputOf({
      messages: [
        {
          id: "r-msg-1",
          role: "assistant",
          toolCalls: [{ id: "r-call-2", type: "function", function: { name: "f", arguments: "" } }],
        },
        { id: "x", role: "tool", toolCallId: "old", content: "" },
      ],
    });
    await go((ctx) => {
      expect([ctx.nextMessageId(), ctx.nextMessageId()]).toEqual(["r-msg-2", "r-msg-3"]);
      expect([ctx.nextToolCallId(), ctx.nextToolCallId()]).toEqual(["r-call-1", "r-call-3"]);
      expect(ctx.claimToolCallId("old")).toBe("old-2");
    }, wanted);
  });

  it("gives a claimed call id once, and one that was started never again", async () => {
    await go((ctx) => {
      expect([ctx.claimToolCallId("c"), ctx.claimToolCallId("c"), ctx.claimToolCallId("c")]).toEqual([
        "c",
        "c-2",
        "c-3",
      ]);
      ctx.emit(events.toolCallStart({ toolCallId: "d", toolCallName: "f" }));
      ctx.emit(events.toolCallEnd({ toolCallId: "d" }));
      expect(ctx.claimToolCallId("d")).toBe("d-2");
      ctx.openToolCall("f", { toolCallId: "e" });
      expect(ctx.claimToolCallId("e")).toBe("e-2");
    });
  });

  it("publishes state: a snapshot, then what changed, then nothing", () => {
    const rows = Array.from({ length: 20 }, (_, index) => ({ index }));
    const { events: got } = record(
      run<{ rows: unknown[]; n?: number }>(input, (ctx) => {
        ctx.setState({ rows });
        ctx.updateState((state) => ({ ...state, n: 1 }));
        ctx.updateState((state) => ({ ...state }));
        expect(ctx.state).toEqual({ rows, n: 1 });
        return NEVER;
      }),
    );
    expect(got.slice(1)).toEqual([
      { type: "STATE_SNAPSHOT", snapshot: { rows } },
      { type: "STATE_DELTA", delta: [{ op: "add", path: "/n", value: 1 }] },
    ]);
  });

  it("checks published states by a schema, which types them", async () => {
    const stateSchema = z.object({ count: z.number() });
    const got = await recorded(
      run(
        inputOf({ state: { count: 1 } }),
        async (ctx) => {
          ctx.updateState(({ count }) => ({ count: count + 1 }));
          ctx.setState({ count: "x" } as never);
        },
        { stateSchema },
      ),
    );
    expect(briefly(got)).toBe("STATE_SNAPSHOT RUN_ERROR");
    expect(got.at(-1)).toMatchObject({ code: "invalid-state" });
  });

  it("may be taken apart", () => {
    const got: AGUIEvent[] = [];
    run(input, ({ text, nextMessageId }) => text(nextMessageId())).subscribe((event) => got.push(event));
    expect(briefly(got)).toBe("+text:r-msg-2 .text:r-msg-2 -text:r-msg-2 RUN_FINISHED");
  });

  it("opens a call for a tool that nobody offered, and an agent's own refusal is its RUN_ERROR", async () => {
    const open = (ctx: RunContext, strict: boolean) => {
      if (strict && !ctx.tool("render"))
        throw Object.assign(new Error("not offered"), { code: "NOT_OFFERED" });
      ctx.openToolCall("render").result("{}");
    };
    expect((await go((ctx) => open(ctx, false))).at(-1)).toMatchObject({ type: "RUN_FINISHED" });
    expect((await go((ctx) => open(ctx, true))).at(-1)).toMatchObject({ code: "NOT_OFFERED" });
  });
});
