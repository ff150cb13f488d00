import { isOrderingError, lifecycle, type AGUIEvent } from "@agrx/core";
import fc from "fast-check";
import { from } from "rxjs";
import { createVerifier } from "./create-verifier.js";
import type { Profile, VerifyOptions } from "./options.js";
import { runs } from "./streams.fixture.js";
import { verify } from "./verify.js";

const megabyte = "x".repeat(1 << 20);
const hostileStrings = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "",
  "\ud800",
  "a",
  "b",
  megabyte,
];
const hostileValues: unknown[] = [
  undefined,
  null,
  0,
  NaN,
  true,
  [],
  {},
  { toString: 1 },
  { id: "a" },
  [null, { id: "a" }],
];
const hostile = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...hostileStrings) },
  { weight: 1, arbitrary: fc.constantFrom(...hostileValues) },
);

const fields = [
  "messageId",
  "toolCallId",
  "toolCallName",
  "stepName",
  "subagentRunId",
  "parentSubagentRunId",
  "parentMessageId",
  "entityId",
  "runId",
  "threadId",
  "role",
  "name",
  "delta",
  "replace",
];
const messages = fc.array(fc.oneof(hostile, fc.record({ id: hostile, role: hostile, toolCalls: hostile })), {
  maxLength: 3,
});
const outcome = fc.record({
  type: fc.constantFrom("success", "interrupt", "cancelled", "__proto__"),
  interrupts: fc.oneof(hostile, fc.array(hostile, { maxLength: 3 })),
  pendingToolCallIds: fc.oneof(hostile, fc.array(hostile, { maxLength: 3 })),
});
const types = [...Object.keys(lifecycle), "__proto__", "constructor", "META"];

/** Events in and out of the schema, with names that a careless table would trip over. */
const event = fc.oneof(
  {
    weight: 50,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...types),
        fc.dictionary(fc.constantFrom(...fields), hostile),
        fc.record(
          {
            messages,
            outcome: fc.oneof(hostile, outcome),
            input: fc.oneof(hostile, fc.record({ messages })),
            subtype: fc.constantFrom("message", "tool-call", "constructor", "__proto__"),
          },
          { requiredKeys: [] },
        ),
      )
      .map(([type, some, others]) => ({ ...some, ...others, type })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown[]>(null, undefined, 7, "RUN_STARTED", {}, { type: { toString: 1 } }),
  },
);
const started = { type: "RUN_STARTED", threadId: "a", runId: "a" };
const stream = fc
  .array(event, { minLength: 50, maxLength: 100, size: "max" })
  .map((all) => [started, ...all] as AGUIEvent[]);

const options = fc.constantFrom<Profile>("producer", "consumer").map((profile): VerifyOptions => ({
  profile,
  input: { tools: [{ name: "a", description: "" }], messages: [] },
  onWarning: ({ message }) => expect(message.length).toBeLessThan(1_000),
}));

describe("with random events and hostile names", () => {
  it("throws nothing and touches no prototype", () => {
    const before = Object.getOwnPropertyNames(Object.prototype).join();
    fc.assert(
      fc.property(stream, options, (events, each) => {
        const verifier = createVerifier(each);
        for (const violation of [...events.map((one) => verifier.observe(one)), verifier.finish()]) {
          if (violation) expect(violation.message.length).toBeLessThan(1_000);
        }
      }),
      runs(60, 2_700),
    );
    expect(Object.getOwnPropertyNames(Object.prototype).join()).toBe(before);
  });

  it("errors with nothing but an OrderingError", () => {
    fc.assert(
      fc.property(stream, options, (events, each) => {
        from(events)
          .pipe(verify(each))
          .subscribe({ error: (error) => expect(isOrderingError(error)).toBe(true) });
      }),
      runs(60, 2_700),
    );
  });
});
