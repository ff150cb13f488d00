import { concat, from, NEVER, of, type Observable } from "rxjs";
import { z } from "zod";
import {
  APPROVAL_REASON,
  approvalInterruptId,
  events,
  executeTools,
  resumeTools,
  run,
  tool,
  type AGUIEvent,
  type ExecutableTool,
  type Message,
  type NeedsApproval,
  type ResumeEntry,
} from "../index.js";
import { briefly, callEvents, echo, scopeOf } from "./tools.fixture.js";

const log: string[] = [];
beforeEach(() => log.splice(0));

const removing = (needsApproval: NeedsApproval<{ file: string }> | undefined) =>
  tool({
    name: "remove",
    description: "Removes a file.",
    parameters: z.object({ file: z.string() }),
    needsApproval,
    execute: ({ file }) => {
      log.push(file);
      return `removed ${file}`;
    },
  });
const remove = removing(true);

const call = (id: string, args: string, name = "remove") => ({
  id,
  type: "function" as const,
  function: { name, arguments: args },
});
const assistant = (...toolCalls: ReturnType<typeof call>[]): Message => ({
  id: "m1",
  role: "assistant",
  toolCalls,
});
const answer = (id: string, payload: unknown, status: ResumeEntry["status"] = "resolved"): ResumeEntry => ({
  interruptId: approvalInterruptId(id),
  status,
  ...(payload !== undefined && { payload }),
});

async function gathered(source: Observable<AGUIEvent>): Promise<AGUIEvent[]> {
  const got: AGUIEvent[] = [];
  await new Promise<void>((resolve, reject) =>
    source.subscribe({ next: (event) => got.push(event), error: reject, complete: resolve }),
  );
  return got;
}

describe("executeTools of a tool that needs approval", () => {
  const source = callEvents("c1", "remove", '{"file":"a"}');

  it("asks instead of running, and leaves the call unanswered", async () => {
    const context = scopeOf();
    expect(await gathered(from(source).pipe(executeTools([remove], { context })))).toEqual(source);
    expect(log).toEqual([]);
    expect(context.asked).toEqual([
      {
        id: "approve-c1",
        reason: APPROVAL_REASON,
        toolCallId: "c1",
        message: "May remove run?",
        responseSchema: expect.objectContaining({ required: ["approved"] }) as unknown,
      },
    ]);
  });

  it.each<[string, NeedsApproval<{ file: string }> | undefined, boolean]>([
    ["yes, by its arguments", ({ file }) => file === "a", true],
    ["no, by its arguments", ({ file }) => file !== "a", false],
    ["yes, later", () => Promise.resolve(true), true],
    ["no, later", () => Promise.resolve(false), false],
    ["no", false, false],
    ["nothing", undefined, false],
  ])("asks when the tool says %s", async (_title, needsApproval, asks) => {
    const context = scopeOf();
    const got = await gathered(from(source).pipe(executeTools([removing(needsApproval)], { context })));
    expect(context.asked).toHaveLength(asks ? 1 : 0);
    expect(got.length - source.length).toBe(asks ? 0 : 1);
  });

  it("does not ask for arguments that are no good", async () => {
    const context = scopeOf();
    const got = await gathered(
      from(callEvents("c1", "remove", "{}")).pipe(executeTools([remove], { context })),
    );
    expect(briefly(got)).toContain("r(c1: The arguments of remove are invalid");
    expect(context.asked).toEqual([]);
  });

  it("does not run a call whose need of approval is not known", async () => {
    const broken = removing(() => {
      throw new Error("policy is down");
    });
    const got = await gathered(from(source).pipe(executeTools([broken], { context: scopeOf() })));
    expect(briefly(got)).toContain("r(c1: remove failed: policy is down)");
    expect(log).toEqual([]);
  });

  it("is refused where nobody can be asked", () => {
    expect(() => executeTools([remove])).toThrow(expect.objectContaining({ code: "no-context" }));
    expect(() => executeTools([removing(false)])).not.toThrow();
  });
});

describe("resumeTools", () => {
  const resumed = (messages: Message[], resume: ResumeEntry[], tools: ExecutableTool[] = [remove]) => {
    const context = scopeOf({ messages, resume });
    return { context, events: gathered(resumeTools(tools, { context })) };
  };

  it.each<[string, unknown, ResumeEntry["status"], string, string[]]>([
    ["runs what is approved", { approved: true }, "resolved", "removed a", ["a"]],
    ["runs what is approved by a bare true", true, "resolved", "removed a", ["a"]],
    ["declines", { approved: false }, "resolved", "The call of remove was declined and did not run.", []],
    ["declines by a bare false", false, "resolved", "The call of remove was declined and did not run.", []],
    [
      "declines with the reason",
      { approved: false, reason: "too early" },
      "resolved",
      "The call of remove was declined and did not run. The reason given: too early",
      [],
    ],
    [
      "declines what was cancelled",
      undefined,
      "cancelled",
      "The call of remove was declined and did not run.",
      [],
    ],
    [
      "declines what was cancelled whatever came with it",
      { approved: true },
      "cancelled",
      "The call of remove was declined and did not run.",
      [],
    ],
  ])("%s", async (_title, payload, status, content, ran) => {
    const got = await resumed([assistant(call("c1", '{"file":"a"}'))], [answer("c1", payload, status)])
      .events;
    expect(got).toEqual([
      expect.objectContaining({ type: "TOOL_CALL_RESULT", toolCallId: "c1", messageId: "r-msg-1", content }),
    ]);
    expect(log).toEqual(ran);
  });

  it("asks again for what has no answer, as long as it needs one", async () => {
    const { context, events: got } = resumed(
      [
        assistant(
          call("c1", '{"file":"a"}'),
          call("c2", '{"file":"b"}'),
          call("c3", '{"file":"safe"}'),
          call("c4", "{}"),
        ),
      ],
      [answer("c2", true)],
      [removing(({ file }) => file !== "safe")],
    );
    expect(briefly(await got)).toBe("r(c2: removed b)");
    expect(context.asked).toEqual([expect.objectContaining({ id: "approve-c1", toolCallId: "c1" })]);
  });

  it("looks at nothing but unanswered calls of its own tools", async () => {
    const { context, events: got } = resumed(
      [
        assistant(
          call("c1", '{"file":"a"}'),
          call("c2", '{"text":"x"}', "open_panel"),
          call("c3", '{"text":"x"}', "echo"),
        ),
        { id: "m2", role: "tool", toolCallId: "c1", content: "removed a" },
      ],
      [],
      [remove, echo],
    );
    expect(await got).toEqual([]);
    expect(context.asked).toEqual([]);
  });

  it.each<[string, ResumeEntry[], string]>([
    ["an answer to a call that has its result", [answer("c0", true), answer("c1", true)], "stale-answer"],
    ["two answers to one interrupt", [answer("c1", true), answer("c1", false)], "double-answer"],
    ["two same answers", [answer("c1", true), answer("c1", true)], "double-answer"],
    ["an approval that is no boolean", [answer("c1", { approved: "yes" })], "invalid-answer"],
    ["an answer without payload", [answer("c1", undefined)], "invalid-answer"],
    ["a text", [answer("c1", "yes")], "invalid-answer"],
    [
      "other arguments than were asked about",
      [answer("c1", { approved: true, editedArgs: { file: "b" } })],
      "invalid-answer",
    ],
  ])("refuses %s before anything runs", async (_title, resume, code) => {
    const messages: Message[] = [
      assistant(call("c0", '{"file":"0"}'), call("c2", '{"file":"b"}'), call("c1", '{"file":"a"}')),
      { id: "m2", role: "tool", toolCallId: "c0", content: "removed 0" },
    ];
    await expect(resumed(messages, [answer("c2", true), ...resume]).events).rejects.toMatchObject({
      name: "ResumeError",
      code,
    });
    expect(log).toEqual([]);
  });

  it("sends what a tool emits, in the order of completion, and ids in the order of the calls", async () => {
    const wait = tool({
      name: "wait",
      description: "Waits.",
      parameters: z.object({ turns: z.number() }),
      needsApproval: true,
      execute: async ({ turns }, { call: { id, emit } }) => {
        emit(events.custom({ name: `p(${id})`, value: 1 }));
        for (let i = 0; i < turns; i++) await Promise.resolve();
        return turns;
      },
    });
    const got = await resumed(
      [assistant(call("c1", '{"turns":9}', "wait"), call("c2", '{"turns":1}', "wait"))],
      [answer("c2", true), answer("c1", true)],
      [wait],
    ).events;
    expect(briefly(got)).toBe("p(c1) p(c2) r(c2: 1) r(c1: 9)");
    expect(got.slice(2)).toMatchObject([{ messageId: "r-msg-2" }, { messageId: "r-msg-1" }]);
  });

  it("aborts at once when it is unsubscribed", () => {
    const aborted: boolean[] = [];
    const hang = tool({
      ...remove,
      execute: (_args, { signal }) => {
        signal.addEventListener("abort", () => aborted.push(true));
        return NEVER;
      },
    });
    const context = scopeOf({
      messages: [assistant(call("c1", '{"file":"a"}'))],
      resume: [answer("c1", true)],
    });
    resumeTools([hang], { context }).subscribe().unsubscribe();
    expect(aborted).toEqual([true]);
  });

  it("makes a failure the end of the run with `fail`", async () => {
    const broken = tool({
      ...remove,
      execute: () => {
        throw new Error("disk is gone");
      },
    });
    const context = scopeOf({
      messages: [assistant(call("c1", '{"file":"a"}'))],
      resume: [answer("c1", true)],
    });
    const got = await gathered(resumeTools([broken], { context, onError: "fail" }));
    expect(briefly(got)).toBe("X(tool-failed)");
  });
});

describe("approval over two runs", () => {
  const input = { threadId: "t", runId: "r1", messages: [], tools: [], context: [] };

  it("ends the first as interrupted, runs the call in the second, and nothing twice in a third", async () => {
    const first = await gathered(
      run(input, (ctx) =>
        from(callEvents("c1", "remove", '{"file":"a"}')).pipe(executeTools([remove], { context: ctx })),
      ),
    );
    expect(first.at(-1)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "interrupt", interrupts: [{ id: "approve-c1", toolCallId: "c1" }] },
    });
    expect(log).toEqual([]);

    const messages = [assistant(call("c1", '{"file":"a"}'))];
    const resume = [answer("c1", { approved: true })];
    const second = { ...input, runId: "r2", messages, resume };
    const agent = (wanted: typeof second) =>
      run(wanted, (ctx) =>
        concat(resumeTools([remove], { context: ctx }), of(events.custom({ name: "turn", value: 1 }))),
      );
    expect(briefly(await gathered(agent(second)))).toBe("S r(c1: removed a) turn F");
    expect(log).toEqual(["a"]);

    const answered: Message = { id: "r2-msg-1", role: "tool", toolCallId: "c1", content: "removed a" };
    const third = { ...second, runId: "r3", messages: [...messages, answered] };
    expect(briefly(await gathered(agent(third)))).toBe("S X(stale-answer)");
    expect(log).toEqual(["a"]);
  });
});
