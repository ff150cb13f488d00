import type { AGUIEvent, Violation } from "@agrx/core";
import fc from "fast-check";
import { from } from "rxjs";
import { diagnose, type Diagnosis } from "./diagnose.js";
import type { VerifyOptions } from "./options.js";
import { asText, faultyStream, legalStream, runs, type Fault } from "./streams.fixture.js";

export function violationsOf(stream: readonly AGUIEvent[], options?: VerifyOptions): Violation[] {
  const found: Diagnosis[] = [];
  from(stream)
    .pipe(diagnose(options))
    .subscribe((diagnosis) => found.push(diagnosis));
  return found.flatMap(({ violations }) => violations);
}

const told = (violations: readonly Violation[]) => violations.map(({ message }) => message).join("\n");

describe("diagnose on generated streams", () => {
  describe.each(["producer", "consumer"] as const)("profile %s", (profile) => {
    it.each([false, true])("finds nothing in a legal stream (chunks: %s)", (chunks) => {
      fc.assert(
        fc.property(legalStream({ chunks }), (stream) => {
          const violations = violationsOf(stream, { profile });
          if (violations.length > 0) throw new Error(`${asText(stream)}\n${told(violations)}`);
        }),
        runs(400, 20_000),
      );
    });

    const atMost: [Fault["kind"], number][] = [
      ["dropped", 1],
      ["doubled", 1],
      ["swapped", 2],
      ["renamed", 2],
    ];
    it.each(atMost.flatMap(([kind, most]) => [false, true].map((chunks) => [kind, most, chunks] as const)))(
      "tells an event that was %s at most %i times (chunks: %s)",
      (kind, most, chunks) => {
        let broken = 0;
        fc.assert(
          fc.property(faultyStream(kind, { chunks }), ({ stream, index }) => {
            const violations = violationsOf(stream, { profile });
            if (violations.length > 0) broken++;
            if (violations.length > most) throw new Error(`${index}\n${asText(stream)}\n${told(violations)}`);
          }),
          runs(500, 20_000),
        );
        expect(broken).toBeGreaterThan(20);
      },
    );
  });
});
