import { events, run, type AGUIEvent, type RunContext, type RunProject } from "@agrx/core";
import { concat, merge, NEVER, of, take, toArray, type Observable } from "rxjs";
import { verify } from "./verify.js";

const input = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };
const guard = verify({ profile: "producer", input });

function eventsOf(source: Observable<AGUIEvent>): AGUIEvent[] {
  let got: AGUIEvent[] = [];
  source.pipe(toArray()).subscribe((all) => (got = all));
  return got;
}

describe("verify as a run's guard", () => {
  it.each<[string, RunProject]>([
    [
      "everything that the declarative builders send",
      (ctx) =>
        concat(
          ctx.reasoning(["a", "b"]),
          ctx.step("s", merge(ctx.text("a"), ctx.toolCall("f", { args: {}, result: () => "x" }))),
          ctx.subagent("n", concat(ctx.step("s", ctx.text("a")), ctx.subagent("m", ctx.toolCall("g")))),
          ctx.activity("plan", of({ a: 1 }, { a: 2 })),
          ctx.custom("n", 1),
        ),
    ],
    [
      "what is cut off inside a living run",
      (ctx) =>
        concat(
          ctx.subagent("n", ctx.step("s", ctx.text(concat(of("a"), NEVER)))).pipe(take(4)),
          ctx.text("b"),
        ),
    ],
    [
      "what handles leave open",
      (ctx) => {
        ctx.openStep("s");
        ctx.openReasoning().content("a");
        ctx.openMessage().content("a");
        const call = ctx.openToolCall("f");
        call.args("{}");
        call.updateState(() => ({ n: 1 }));
        ctx.openToolCall("g").result("x");
      },
    ],
    [
      "an interrupted run",
      (ctx) => {
        ctx.interrupt({ reason: "approval" });
        return ctx.toolCall("f");
      },
    ],
  ])("passes %s", (_name, project) => {
    const guarded = eventsOf(run(input, project, { guard }));
    expect(guarded.at(-1)).toMatchObject({ type: "RUN_FINISHED" });
    expect(guarded).toEqual(eventsOf(run(input, project)));
  });

  it.each<[string, AGUIEvent[]]>([
    ["not-open", [events.toolCallArgs({ toolCallId: "c", delta: "{}" })]],
    [
      "duplicate-start",
      [
        events.textMessageStart({ messageId: "m", role: "assistant" }),
        events.textMessageStart({ messageId: "m", role: "assistant" }),
      ],
    ],
    [
      "out-of-order",
      [
        events.toolCallStart({ toolCallId: "c", toolCallName: "f" }),
        events.toolCallResult({ toolCallId: "c", messageId: "m", content: "" }),
      ],
    ],
  ])("makes a broken rule the code of RUN_ERROR: %s", (code, sent) => {
    const got = eventsOf(run(input, () => sent, { guard }));
    expect(got.at(-1)).toMatchObject({ type: "RUN_ERROR", code });
    expect(got).not.toContain(sent.at(-1));
  });

  it("is made anew for each run", () => {
    const project = (ctx: RunContext) => ctx.text("a");
    const source = run(input, project, { guard });
    expect(eventsOf(source)).toEqual(eventsOf(source));
  });
});
