import {
  resumeInput,
  type Interrupt,
  type InterruptedRun,
  type Message,
  type ResumeEntry,
} from "../index.js";

const messages: Message[] = [
  { id: "u", role: "user", content: "Remove it." },
  { id: "v", role: "activity", activityType: "plan", content: {} },
];
const viewOf = (interrupts: Interrupt[], more: Partial<InterruptedRun> = {}): InterruptedRun => ({
  threadId: "t",
  status: "interrupted",
  messages,
  state: { n: 1 },
  interrupts,
  ...more,
});
const resolved = (interruptId: string, payload: unknown = true): ResumeEntry => ({
  interruptId,
  status: "resolved",
  payload,
});
const cancelled = (interruptId: string): ResumeEntry => ({ interruptId, status: "cancelled" });
const a: Interrupt = { id: "a", reason: "tool_call", toolCallId: "c1" };
const b: Interrupt = { id: "b", reason: "input_required", expiresAt: "2026-01-01T00:00:00Z" };
const before = Date.parse("2025-12-31T23:59:59Z");
const after = Date.parse("2026-01-01T00:00:00Z");

describe("resumeInput", () => {
  it("gives the same thread, messages and state with the answers", () => {
    const tools = [{ name: "open", description: "Opens." }];
    const answer: Message = { id: "m", role: "tool", toolCallId: "c2", content: "open" };
    const options = { runId: "r2", tools, messages: [answer], forwardedProps: { k: 1 } };
    expect(resumeInput(viewOf([a]), [resolved("a")], options)).toEqual({
      threadId: "t",
      runId: "r2",
      messages: [messages[0], answer],
      state: { n: 1 },
      tools,
      context: [],
      forwardedProps: { k: 1 },
      resume: [{ interruptId: "a", status: "resolved", payload: true }],
    });
  });

  it("makes a run id that is new each time", () => {
    const ids = Array.from({ length: 10 }, () => resumeInput(viewOf([a]), [resolved("a")]).runId);
    expect(new Set(ids).size).toBe(10);
  });

  it.each<[string, InterruptedRun, ResumeEntry[], string]>([
    ["a run that goes on", viewOf([a], { status: "running" }), [resolved("a")], "not-interrupted"],
    [
      "a run that failed with interrupts open",
      viewOf([a], { status: "failed" }),
      [resolved("a")],
      "not-interrupted",
    ],
    ["a run that waits for nothing", viewOf([]), [], "not-interrupted"],
    ["an interrupt without an answer", viewOf([a, b]), [resolved("b")], "unanswered-interrupt"],
    ["no answer at all", viewOf([a]), [], "unanswered-interrupt"],
    ["an answer to nothing that is open", viewOf([a]), [resolved("a"), resolved("x")], "unknown-interrupt"],
    ["two answers to one interrupt", viewOf([a]), [resolved("a"), cancelled("a")], "double-answer"],
    [
      "an answer of no known status",
      viewOf([a]),
      [{ interruptId: "a", status: "denied" as never }],
      "invalid-answer",
    ],
    ["null for an answer", viewOf([a]), [resolved("a", null)], "invalid-answer"],
  ])("refuses %s", (_title, view, answers, code) => {
    expect(() => resumeInput(view, answers, { now: before })).toThrow(
      expect.objectContaining({ name: "ResumeError", code }),
    );
  });

  it("lets an interrupt that has expired only be cancelled", () => {
    const resume = (answer: ResumeEntry, now: number) => () => resumeInput(viewOf([b]), [answer], { now });
    expect(resume(resolved("b"), before)).not.toThrow();
    expect(resume(resolved("b"), after)).toThrow(
      expect.objectContaining({ code: "expired-interrupt", interruptId: "b" }),
    );
    expect(resume(cancelled("b"), after)).not.toThrow();
    expect(() =>
      resumeInput(viewOf([{ ...b, expiresAt: "some day" }]), [resolved("b")], { now: after }),
    ).not.toThrow();
  });
});
