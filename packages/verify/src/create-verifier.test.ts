import { events, type AGUIEvent } from "@agrx/core";
import { createVerifier, type VerifierOptions } from "./create-verifier.js";

const started = events.runStarted({ threadId: "t", runId: "r" });
const finished = events.runFinished({ threadId: "t", runId: "r" });

function rulesOf(stream: readonly AGUIEvent[], options?: VerifierOptions): string[] {
  const verifier = createVerifier(options);
  const told = stream.flatMap((event) => verifier.observe(event)?.rule ?? []);
  const end = verifier.finish();
  return end ? [...told, end.rule] : told;
}

describe("createVerifier", () => {
  it("finds nothing in a legal run", () => {
    expect(
      rulesOf([
        started,
        events.toolCallStart({ toolCallId: "a", toolCallName: "f" }),
        events.toolCallStart({ toolCallId: "b", toolCallName: "f" }),
        events.toolCallArgs({ toolCallId: "a", delta: "{}" }),
        events.toolCallEnd({ toolCallId: "b" }),
        events.toolCallEnd({ toolCallId: "a" }),
        finished,
      ]),
    ).toEqual([]);
  });
  it("starts anew with each verifier", () => {
    expect(rulesOf([started, finished])).toEqual([]);
    expect(rulesOf([started, finished])).toEqual([]);
  });

  it("forgets a run at its end, but for what the next one may ask", () => {
    const message = events.textMessageStart({ messageId: "m", role: "assistant", subagentRunId: "agent-1" });
    const end = events.textMessageEnd({ messageId: "m" });
    const next = [
      events.runStarted({ threadId: "t", runId: "r-2" }),
      events.runFinished({ threadId: "t", runId: "r-2" }),
    ] as const;
    // Whose a message was: nobody's any more.
    const restarted = events.textMessageStart({ messageId: "m", role: "assistant" });
    expect(rulesOf([started, message, end, finished, next[0], restarted, end, next[1]])).toEqual([]);
    // An activity stays in the thread; a call of the run before may be answered.
    const shown = events.activitySnapshot({ messageId: "plan", activityType: "PLAN", content: {} });
    const updated = events.activityDelta({ messageId: "plan", activityType: "PLAN", patch: [] });
    const call = events.toolCallStart({ toolCallId: "c", toolCallName: "f" });
    const answer = events.toolCallResult({ toolCallId: "c", messageId: "a", content: "" });
    const callEnd = events.toolCallEnd({ toolCallId: "c" });
    const stream = [started, shown, call, callEnd, finished, next[0], updated, answer, next[1]];
    expect(rulesOf(stream, { profile: "producer" })).toEqual([]);
  });

  it("checks owners against a snapshot from then on", () => {
    const snapshot = events.messagesSnapshot({
      messages: [{ id: "m", role: "assistant", content: "", subagentRunId: "agent-1" }],
    });
    const reopened = (subagentRunId: string) => [
      events.textMessageStart({ messageId: "m", role: "assistant", subagentRunId }),
      events.textMessageEnd({ messageId: "m" }),
    ];
    expect(rulesOf([started, snapshot, ...reopened("agent-1"), finished])).toEqual([]);
    expect(rulesOf([started, snapshot, ...reopened("agent-2"), finished])).toEqual(["owner-mismatch"]);
  });

  it("lists what is open in the order in which it was opened, also when most of it has closed", () => {
    const verifier = createVerifier();
    verifier.observe(started);
    const open = (id: number) => events.textMessageStart({ messageId: `m${id}`, role: "assistant" });
    const end = (id: number) => events.textMessageEnd({ messageId: `m${id}` });
    for (let id = 0; id < 1_000; id++) verifier.observe(open(id));
    for (let id = 0; id < 1_000; id++) if (id % 400 !== 0) verifier.observe(end(id));
    verifier.observe(open(1));
    expect(verifier.observe(finished)).toMatchObject({
      rule: "open-at-finish",
      id: "m0",
      open: ["m0", "m400", "m800", "m1"].map((id) => ({ kind: "text", id })),
    });
  });

  it("tells a fragment of a call that nobody opened, once", () => {
    expect(
      rulesOf([
        started,
        events.toolCallArgs({ toolCallId: "a", delta: "{}" }),
        events.toolCallArgs({ toolCallId: "a", delta: "{}" }),
        events.toolCallEnd({ toolCallId: "a" }),
        finished,
      ]),
    ).toEqual(["not-open"]);
  });
});
