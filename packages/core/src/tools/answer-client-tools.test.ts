import { map, NEVER, throwError, timer } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { z } from "zod";
import {
  answerClientTools,
  tool,
  type AnswerClientToolsOptions,
  type ExecutableTool,
  type RunStatus,
  type ToolCall,
  type ToolMessage,
} from "../index.js";
import type { FinishedRun } from "./answer-client-tools.js";
import { echo, slow } from "./tools.fixture.js";

const call = (id: string, name: string, args: string, more: Partial<ToolCall> = {}): ToolCall => ({
  id,
  name,
  arguments: args,
  args: undefined,
  status: "complete",
  ...more,
});
const viewOf = (toolCalls: ToolCall[], more: Partial<FinishedRun> = {}): FinishedRun => ({
  status: "finished",
  toolCalls,
  pendingToolCallIds: toolCalls.map(({ id }) => id),
  interrupts: [],
  ...more,
});
function answered(view: FinishedRun, tools: ExecutableTool[], options?: AnswerClientToolsOptions) {
  const got: ToolMessage[][] = [];
  let error: unknown;
  let completed = false;
  answerClientTools(view, tools, options).subscribe({
    next: (messages) => got.push(messages),
    error: (cause: unknown) => (error = cause),
    complete: () => (completed = true),
  });
  return { got, error: error as { code: string } | undefined, completed };
}

describe("answerClientTools", () => {
  it("gives one list of tool messages, synchronously where the tools are", () => {
    const { got, completed } = answered(viewOf([call("c1", "echo", '{"text":"hi"}')]), [echo]);
    expect(got).toEqual([[{ id: "c1-result", role: "tool", toolCallId: "c1", content: "hi" }]]);
    expect(completed).toBe(true);
  });

  it("gives an empty list when nothing is open", () => {
    expect(answered(viewOf([]), [echo]).got).toEqual([[]]);
  });

  it.each<[RunStatus, boolean]>([
    ["finished", true],
    ["interrupted", true],
    ["idle", false],
    ["running", false],
    ["cancelled", false],
    ["failed", false],
  ])("of a run that is %s runs tools: %s", (status, runs) => {
    const { got, error } = answered(viewOf([call("c1", "echo", '{"text":"hi"}')], { status }), [echo]);
    expect(got).toHaveLength(runs ? 1 : 0);
    expect(error?.code).toBe(runs ? undefined : "run-not-finished");
  });

  it("leaves to the agent what an interrupt is about, and to the provider what it runs", () => {
    const view = viewOf(
      [
        call("c1", "echo", '{"text":"1"}'),
        call("c2", "echo", '{"text":"2"}', { providerExecuted: true }),
        call("c3", "echo", '{"text":"3"}'),
        call("c4", "echo", '{"text":"4"}'),
      ],
      {
        status: "interrupted",
        interrupts: [{ id: "i", reason: "tool_call", toolCallId: "c1" }],
        pendingToolCallIds: ["c1", "c2", "c3"],
      },
    );
    expect(answered(view, [echo]).got[0]!.map(({ content }) => content)).toEqual(["3"]);
  });

  it("gives the messages in the order of the calls, whichever is done first, when all are done", () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(({ expectObservable }) => {
      const view = viewOf([call("c1", "slow", '{"ms":5}'), call("c2", "slow", '{"ms":2}')]);
      const contents = answerClientTools(view, [slow()]).pipe(
        map((list) => list.map(({ content }) => content)),
      );
      expectObservable(contents).toBe("-----(l|)", { l: ["c1 after 5", "c2 after 2"] });
      const inLine = answerClientTools(view, [slow()], { concurrency: 1 }).pipe(map(({ length }) => length));
      expectObservable(inLine).toBe("-------(n|)", { n: 2 });
    });
  });

  it("answers an unknown tool with an error, or as it is told", () => {
    const view = viewOf([call("c1", "what", "no json")]);
    const content = 'There is no tool "what" here: it did not run.';
    expect(answered(view, [echo]).got).toEqual([
      [{ id: "c1-result", role: "tool", toolCallId: "c1", content, error: content }],
    ]);
    const onUnknownToolCall = ({ name, arguments: text }: ToolCall) =>
      timer(0).pipe(map(() => `${name}: ${text}`));
    return new Promise<void>((resolve) => {
      answerClientTools(view, [echo], { onUnknownToolCall }).subscribe(([message]) => {
        expect(message).toEqual({
          id: "c1-result",
          role: "tool",
          toolCallId: "c1",
          content: "what: no json",
        });
        resolve();
      });
    });
  });

  it("answers bad arguments and a failing tool with an error, or errors with `fail`", () => {
    const failing = tool({ ...echo, execute: () => throwError(() => new Error("boom")) });
    const bad = viewOf([call("c1", "echo", '{"txet":"hi"}')]);
    expect(answered(bad, [echo]).got[0]![0]!.error).toMatch(/^The arguments of echo are invalid: text: /);
    const view = viewOf([call("c1", "echo", '{"text":"hi"}')]);
    expect(answered(view, [failing]).got[0]![0]).toMatchObject({
      content: "echo failed: boom",
      error: "echo failed: boom",
    });
    expect(answered(view, [failing], { onError: "fail" }).error?.code).toBe("tool-failed");
  });

  it("aborts at once when it is unsubscribed, and runs nothing before it is subscribed", () => {
    const log: string[] = [];
    const hang = tool({
      name: "hang",
      description: "Hangs.",
      parameters: z.object({}),
      execute: (_args, { signal }) => {
        log.push("start");
        signal.addEventListener("abort", () => log.push("abort"));
        return NEVER;
      },
    });
    const answers = answerClientTools(viewOf([call("c1", "hang", "")]), [hang]);
    expect(log).toEqual([]);
    answers.subscribe().unsubscribe();
    expect(log).toEqual(["start", "abort"]);
  });

  it("refuses tools that would need an agent to ask", () => {
    expect(() => answerClientTools(viewOf([]), [tool({ ...echo, needsApproval: true })])).toThrow(
      expect.objectContaining({ code: "no-context" }),
    );
    expect(() => answerClientTools(viewOf([]), [echo, echo])).toThrow(
      expect.objectContaining({ code: "duplicate-tool" }),
    );
  });
});
