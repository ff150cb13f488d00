import { events, type AGUIEvent } from "@agrx/core";
import { from } from "rxjs";
import { createVerifier } from "./create-verifier.js";
import { schemas } from "./schemas.js";
import { verify } from "./verify.js";

const started = events.runStarted({ threadId: "t", runId: "r" });
const finished = events.runFinished({ threadId: "t", runId: "r" });

function pathOf(event: object): string | undefined {
  const verifier = createVerifier({ schemas });
  verifier.observe(started);
  const violation = verifier.observe(event as AGUIEvent);
  return violation?.rule === "invalid-event" ? violation.path : undefined;
}

describe("schemas", () => {
  it.each<[string, object, string]>([
    ["a wrong type", { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 42 }, "delta"],
    ["a missing field", { type: "TOOL_CALL_START", toolCallId: "c" }, "toolCallName"],
    ["a null", { type: "CUSTOM", name: "n", value: 1, subagentRunId: null }, "subagentRunId"],
    ["an unknown role", { type: "TEXT_MESSAGE_START", messageId: "m", role: "narrator" }, "role"],
    [
      "the member of a union that came furthest",
      {
        type: "MESSAGES_SNAPSHOT",
        messages: [{ id: "m", role: "user", content: [{ type: "image", source: { type: "url" } }] }],
      },
      "messages.0.content.0.source.value",
    ],
    [
      "the type of an encrypted value",
      {
        type: "REASONING_ENCRYPTED_VALUE",
        subtype: "message",
        entityId: "m",
        encryptedValue: "v",
        encryptedValueType: 1,
      },
      "encryptedValueType",
    ],
  ])("finds where %s is", (_, event, path) => {
    expect(pathOf(event)).toBe(path);
  });

  it("lets pass what protocol 1.1 adds, and unknown properties", () => {
    expect(
      pathOf({
        type: "REASONING_ENCRYPTED_VALUE",
        subtype: "message",
        entityId: "m",
        encryptedValue: "v",
        encryptedValueType: "provider.thinking",
        later: true,
      }),
    ).toBeUndefined();
  });

  it("makes verify error with the path, and never shows the value", () => {
    let error: unknown;
    from([
      started,
      { type: "CUSTOM", name: "n", value: 1, timestamp: "secret" } as unknown as AGUIEvent,
      finished,
    ])
      .pipe(verify({ schemas }))
      .subscribe({ error: (cause) => (error = cause) });
    expect(error).toMatchObject({ rule: "invalid-event", path: "timestamp", index: 1 });
    expect((error as Error).message).toMatch(
      /^CUSTOM \(event 1\) is malformed at timestamp: .*expected number/,
    );
    expect((error as Error).message).not.toContain("secret");
  });

  it("leaves the order to the ordering rules", () => {
    const verifier = createVerifier({ schemas });
    verifier.observe(started);
    expect(verifier.observe(events.toolCallEnd({ toolCallId: "c" }))?.rule).toBe("not-open");
  });

  it("tells a malformed event once, whatever else is wrong with it", () => {
    const verifier = createVerifier({ schemas });
    verifier.observe(started);
    const malformed = { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: 42 } as unknown as AGUIEvent;
    expect(verifier.observe(malformed)?.rule).toBe("invalid-event");
    expect(verifier.observe(events.textMessageEnd({ messageId: "m" }))).toBeUndefined();
    expect(verifier.observe(finished)).toBeUndefined();
    expect(verifier.finish()).toBeUndefined();
  });
});
