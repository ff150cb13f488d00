import { events, type AGUIEvent, type Violation } from "@agrx/core";
import fc from "fast-check";
import { concat, EMPTY, from, of, repeat, take, throwError, type Observable } from "rxjs";
import { diagnose, type Diagnosis } from "./diagnose.js";
import type { VerifyOptions } from "./options.js";
import { asText, faultyStream, legalStream, runs, type Fault } from "./streams.fixture.js";

function violationsOf(stream: readonly AGUIEvent[], options?: VerifyOptions): Violation[] {
  const found: Diagnosis[] = [];
  from(stream)
    .pipe(diagnose(options))
    .subscribe((diagnosis) => found.push(diagnosis));
  return found.flatMap(({ violations }) => violations);
}

const told = (violations: readonly Violation[]) => violations.map(({ message }) => message).join("\n");

describe("diagnose", () => {
  const started = events.runStarted({ threadId: "t", runId: "r" });
  const stray = events.textMessageEnd({ messageId: "m" });

  function collect(source: Observable<AGUIEvent>) {
    const seen: (number | string)[] = [];
    source.pipe(diagnose()).subscribe({
      next: ({ event, index, violations }) =>
        seen.push(`${index} ${event?.type ?? "end"} ${violations.map(({ rule }) => rule).join()}`.trim()),
      error: (error: Error) => seen.push(error.message),
      complete: () => seen.push("complete"),
    });
    return seen;
  }

  it("says of each event what it breaks, and goes on", () => {
    expect(collect(of(started, stray, started))).toEqual([
      "0 RUN_STARTED",
      "1 TEXT_MESSAGE_END not-open",
      "2 RUN_STARTED duplicate-run-started",
      "3 end truncated",
      "complete",
    ]);
  });

  it("says something of the end only when the end breaks a rule", () => {
    expect(collect(of(events.runError({ message: "gone" })))).toEqual(["0 RUN_ERROR", "complete"]);
    expect(collect(EMPTY)).toEqual(["0 end truncated", "complete"]);
  });

  it("passes the source's error on, and says nothing of the end then", () => {
    expect(
      collect(
        concat(
          of(started),
          throwError(() => new Error("cut")),
        ),
      ),
    ).toEqual(["0 RUN_STARTED", "cut"]);
  });

  it("stops an endless synchronous source when it has enough", () => {
    const indexes: number[] = [];
    of(stray)
      .pipe(repeat(), diagnose(), take(3))
      .subscribe(({ index }) => indexes.push(index));
    expect(indexes).toEqual([0, 1, 2]);
  });

  it("judges each subscription for itself", () => {
    const source = of(started, stray);
    expect(collect(source)).toEqual(collect(source));
  });

  it("tells two faults of one event", () => {
    const open = events.textMessageStart({ messageId: "m", role: "assistant" });
    const finished = events.runFinished({ threadId: "t", runId: "other" });
    expect(collect(of(started, open, finished))).toContain("2 RUN_FINISHED run-mismatch,open-at-finish");
  });
});

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
