import type { Sentence } from "./sentence.fixture.js";
import {
  a1,
  again,
  assistant,
  call,
  failed,
  finished,
  interrupt,
  meta,
  result,
  run,
  started,
  stepEnd,
  stepStart,
  text,
  textContent,
  textStart,
} from "./wire.fixture.js";

/** Sections 5 and 7: outcomes, pending calls, usage and versions. */
export const lifecycle: Sentence[] = [
  {
    says: "an absent outcome is success",
    stream: run(),
    view: { status: "finished", outcome: { type: "success" } },
  },
  {
    says: "an interrupt",
    stream: [started(), finished(interrupt("i"))],
    view: { status: "interrupted", interrupts: [{ id: "i", reason: "ask" }] },
  },
  {
    says: "cancelled is neither success nor failure",
    stream: [started(), finished({ outcome: { type: "cancelled" } })],
    view: { status: "cancelled", error: undefined },
  },
  {
    says: "a failed run keeps what came",
    stream: [started(), textStart("m"), textContent("m", "x"), failed({ code: "E" })],
    view: { status: "failed", error: { message: "boom", code: "E" } },
    messages: [assistant("m", { content: "x" })],
  },
  {
    says: "pending calls are derived: started in this run, no result",
    stream: [
      ...run(call("c0")),
      again("r2"),
      ...call("c1"),
      ...call("c2"),
      result("c1", "tm", "ok"),
      finished({ runId: "r2" }),
    ],
    view: { pendingToolCallIds: ["c2"] },
  },
  {
    says: "a list that is not empty is trusted",
    stream: [
      started(),
      ...call("c"),
      ...call("d"),
      finished({ outcome: { type: "success", pendingToolCallIds: ["d"] } }),
    ],
    view: { pendingToolCallIds: ["d"] },
    producer: "invalid-outcome",
  },
  {
    says: "for an interrupt they are always derived",
    stream: [started(), ...call("c"), finished(interrupt("i"))],
    view: { status: "interrupted", pendingToolCallIds: ["c"] },
  },
  {
    says: "a late RUN_ERROR leaves no success behind",
    stream: [started(), ...text("m", "x"), finished({ result: 1 }), failed()],
    view: { status: "failed", outcome: undefined },
    messages: [assistant("m", { content: "x" })],
  },
  {
    says: "parentRunId names the run that spawned this one",
    stream: [started({ parentRunId: "p" }), finished()],
    carried: { 0: { parentRunId: "p" } },
  },
  { says: "steps may overlap", stream: run(stepStart("a"), stepStart("b"), stepEnd("a"), stepEnd("b")) },
  {
    says: "usage of a provider and model",
    stream: [
      started(),
      finished({ usage: [{ provider: "p", model: "m", inputTokens: 3, cachedInputTokens: 1 }] }),
    ],
    view: { usage: [{ provider: "p", model: "m", inputTokens: 3, cachedInputTokens: 1 }] },
  },
  {
    says: "usage also of a failed run",
    stream: [started(), failed({ usage: [{ outputTokens: 1 }] })],
    view: { usage: [{ outputTokens: 1 }] },
  },
  ...[-1, 1.5, "1", null].map((inputTokens) => ({
    says: `tokens are not counted as ${JSON.stringify(inputTokens)}`,
    stream: [started(), finished({ usage: [{ inputTokens }] })],
    refused: "usage.0.inputTokens",
  })),
  {
    says: "all fields of an interrupt",
    stream: [
      started(),
      ...call("c"),
      finished({
        outcome: {
          type: "interrupt",
          interrupts: [
            {
              id: "i",
              reason: "ask",
              message: "ok?",
              toolCallId: "c",
              responseSchema: { type: "boolean" },
              expiresAt: "2026-01-01T00:00:00Z",
              ...a1,
              ...meta({ a: 1 }),
            },
          ],
        },
      }),
    ],
    view: { status: "interrupted" },
  },
  ...["1.0", "1.1", "0.9"].map((protocolVersion) => ({
    says: `version ${protocolVersion} is quiet`,
    stream: [started({ protocolVersion }), finished()],
  })),
  ...["1.2", "1.10", "2.0", "10.0", "1", "1.1.0", "latest", ""].map((protocolVersion) => ({
    says: `version ${JSON.stringify(protocolVersion)} is warned about, and the run goes on`,
    stream: [started({ protocolVersion }), finished()],
    warned: ["protocol-version"],
    view: { status: "finished" },
  })),
];
