import { events, type AGUIEvent } from "@agrx/core";
import { createVerifier, type VerifierOptions } from "./create-verifier.js";

export const started = events.runStarted({ threadId: "t", runId: "r" });
export const finished = events.runFinished({ threadId: "t", runId: "r" });

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
