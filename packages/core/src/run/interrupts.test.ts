import { run, type RunContext, type RunProject, type Warning } from "../index.js";
import { briefly, inputOf, record, recorded } from "./run.fixture.js";

const input = inputOf();
const outcomeOf = async (project: (ctx: RunContext) => unknown, wanted = input) => {
  const got = await recorded(run(wanted, project as RunProject));
  return got.at(-1) as unknown as { type: string; outcome?: unknown; code?: string };
};

describe("ctx.interrupt", () => {
  it("makes the run's outcome interrupt, with every one noted, and gives each an id", async () => {
    const given: unknown[] = [];
    const last = await outcomeOf((ctx) => {
      given.push(
        ctx.interrupt({ reason: "approval", toolCallId: "c" }),
        ctx.interrupt({ id: "mine", reason: "input" }),
      );
      return ctx.toolCall("f");
    });
    expect(last.outcome).toEqual({
      type: "interrupt",
      interrupts: [
        { id: "r-interrupt-1", reason: "approval", toolCallId: "c" },
        { id: "mine", reason: "input" },
      ],
    });
    expect(given).toEqual((last.outcome as { interrupts: unknown[] }).interrupts);
  });

  it("lets the rest of the run go on", async () => {
    const got = await recorded(
      run(input, (ctx) => {
        ctx.interrupt({ reason: "approval" });
        return ctx.text("meanwhile");
      }),
    );
    expect(briefly(got)).toBe("+text:r-msg-1 .text:r-msg-1 -text:r-msg-1 RUN_FINISHED");
  });

  it("wins over a success, however it was said, and joins an interrupt outcome", async () => {
    const raise = (ctx: RunContext) => ctx.interrupt({ id: "a", reason: "approval" });
    const said = await outcomeOf((ctx) => {
      raise(ctx);
      ctx.end({ outcome: { type: "success" } });
    });
    expect(said.outcome).toMatchObject({ type: "interrupt", interrupts: [{ id: "a" }] });
    const given = await outcomeOf(async (ctx) => {
      raise(ctx);
      return {
        type: "interrupt",
        interrupts: [
          { id: "b", reason: "x" },
          { id: "a", reason: "approval" },
        ],
      };
    });
    expect(given.outcome).toMatchObject({ interrupts: [{ id: "b" }, { id: "a" }] });
  });

  it("loses against a run that is cancelled or fails", async () => {
    const cancelled = await outcomeOf(async (ctx) => {
      ctx.interrupt({ reason: "approval" });
      return { type: "cancelled" };
    });
    expect(cancelled.outcome).toEqual({ type: "cancelled" });
    const failed = await outcomeOf(async (ctx) => {
      ctx.interrupt({ reason: "approval" });
      throw new Error("boom");
    });
    expect(failed.type).toBe("RUN_ERROR");
  });

  it.each<[string, (ctx: RunContext) => unknown]>([
    [
      "an id that is raised twice",
      (ctx) => [ctx.interrupt({ id: "a", reason: "x" }), ctx.interrupt({ id: "a", reason: "x" })],
    ],
    ["an outcome without interrupts", async () => ({ type: "interrupt", interrupts: [] })],
    [
      "a repeated id in an outcome",
      async () => ({
        type: "interrupt",
        interrupts: [
          { id: "a", reason: "x" },
          { id: "a", reason: "y" },
        ],
      }),
    ],
    ["an unknown outcome", (ctx) => ctx.end({ outcome: { type: "paused" } as never })],
  ])("refuses %s", async (_name, project) => {
    expect(await outcomeOf(project)).toMatchObject({ type: "RUN_ERROR", code: "invalid-outcome" });
  });
});

describe("ctx.resumeFor", () => {
  const resume = [
    { interruptId: "known", status: "resolved" as const, payload: { ok: true } },
    { interruptId: "unknown", status: "cancelled" as const },
  ];
  const resumed = inputOf({ resume });

  it("gives the client's answer, undefined without one", async () => {
    await outcomeOf((ctx) => {
      expect(ctx.resumeFor("known")).toBe(resume[0]);
      expect(ctx.resumeFor("other")).toBeUndefined();
    }, resumed);
    await outcomeOf((ctx) => expect(ctx.resumeFor("known")).toBeUndefined());
  });

  it("lets the run warn of the answers that nobody asked for, once it finishes", () => {
    const warnings: Warning[] = [];
    const onWarning = (warning: Warning) => void warnings.push(warning);
    record(run(resumed, (ctx) => void ctx.resumeFor("known"), { onWarning }));
    expect(warnings).toEqual([
      {
        code: "unknown-resume",
        id: "unknown",
        path: "resume.1",
        message: expect.stringContaining('"unknown"'),
      },
    ]);
    const failing = () => {
      throw new Error("boom");
    };
    record(run(resumed, failing, { onWarning }));
    expect(warnings).toHaveLength(1);
  });

  it("keeps the run legal when onWarning throws", () => {
    const onWarning = () => {
      throw new Error("loud");
    };
    const { events } = record(run(resumed, (ctx) => void ctx.openMessage(), { onWarning }));
    expect(briefly(events)).toBe("+text:r-msg-1 -text:r-msg-1 RUN_ERROR");
  });
});
