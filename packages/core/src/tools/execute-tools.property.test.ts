import fc from "fast-check";
import { Subject } from "rxjs";
import { z } from "zod";
import { events, executeTools, tool, type AGUIEvent } from "../index.js";
import { callEvents, finished, started } from "./tools.fixture.js";

const soak = Boolean(process.env["AGRX_SOAK"]);

interface PlannedCall {
  readonly name: "mine" | "other";
  readonly text: string;
  /** Where its arguments are cut. */
  readonly cut: number;
  readonly repeated: boolean;
  /** How its tool ends. */
  readonly outcome: "value" | "failure" | "bad arguments";
}

const plannedCall = fc.record<PlannedCall>({
  name: fc.constantFrom("mine", "mine", "mine", "other"),
  text: fc.string({ maxLength: 8 }),
  cut: fc.nat(20),
  repeated: fc.boolean(),
  outcome: fc.constantFrom("value", "value", "failure", "bad arguments"),
});

/** The events of a call in pieces, once or twice. */
function eventsOf(call: PlannedCall, id: string): AGUIEvent[] {
  const args = JSON.stringify({ [call.outcome === "bad arguments" ? "txet" : "text"]: call.text });
  const [start, , end] = callEvents(id, call.name, args) as [AGUIEvent, AGUIEvent, AGUIEvent];
  const pieces = [args.slice(0, call.cut), args.slice(call.cut)];
  const once = [start, ...pieces.map((delta) => events.toolCallArgs({ toolCallId: id, delta })), end];
  return call.repeated ? [...once, ...once] : once;
}

describe("executeTools, for up to 8 calls in any interleaving, answered in any order", () => {
  it("passes every event on in order and answers each call of its own once, after its END and before the run's", () => {
    fc.assert(
      fc.property(
        fc.array(plannedCall, { minLength: 1, maxLength: 8 }),
        fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
        fc.infiniteStream(fc.nat(1000)),
        (plan, concurrency, choices) => {
          const choose = (count: number) => choices.next().value % count;
          const lanes = plan.map((call, index) => eventsOf(call, `c${index}`));
          const running = new Map<string, { text: string; answer: Subject<string> }>();
          const runs: string[] = [];
          let most = 0;
          const mine = tool({
            name: "mine",
            description: "Waits for its answer.",
            parameters: z.object({ text: z.string() }),
            execute: ({ text }, { call }) => {
              const answer = new Subject<string>();
              running.set(call.id, { text, answer });
              runs.push(call.id);
              most = Math.max(most, running.size);
              return answer;
            },
          });

          const source = new Subject<AGUIEvent>();
          const sent: AGUIEvent[] = [];
          const got: AGUIEvent[] = [];
          let completed = false;
          source
            .pipe(executeTools([mine], { concurrency }))
            .subscribe({ next: (event) => got.push(event), complete: () => (completed = true) });
          const send = (event: AGUIEvent) => {
            sent.push(event);
            source.next(event);
          };
          const answerOne = () => {
            const ids = [...running.keys()];
            const id = ids[choose(ids.length)]!;
            const { text, answer } = running.get(id)!;
            running.delete(id);
            if (plan[Number(id.slice(1))]!.outcome === "failure") answer.error(new Error(text));
            else {
              answer.next(text);
              answer.complete();
            }
          };

          send(started);
          while (lanes.some((lane) => lane.length > 0)) {
            const open = lanes.filter((lane) => lane.length > 0);
            send(open[choose(open.length)]!.shift()!);
            if (running.size > 0 && choose(3) === 0) answerOne();
          }
          send(finished);
          source.complete();
          while (running.size > 0) {
            expect(got).not.toContain(finished);
            answerOne();
          }

          const results = got.filter((event) => event.type === "TOOL_CALL_RESULT");
          expect(got.filter((event) => event.type !== "TOOL_CALL_RESULT")).toEqual(sent);
          expect(completed).toBe(true);
          expect(got.at(-1)).toBe(finished);
          expect(new Set(runs).size).toBe(runs.length);
          expect(most).toBeLessThanOrEqual(concurrency ?? 8);
          expect(results.map(({ toolCallId }) => toolCallId).sort()).toEqual(
            plan.flatMap(({ name }, index) => (name === "mine" ? [`c${index}`] : [])),
          );
          for (const result of results) {
            const { text, outcome } = plan[Number(result.toolCallId.slice(1))]!;
            const end = got.findIndex(
              (e) => e.type === "TOOL_CALL_END" && e.toolCallId === result.toolCallId,
            );
            expect(got.indexOf(result)).toBeGreaterThan(end);
            if (outcome === "value") expect(result.content).toBe(text);
            if (outcome === "failure") expect(result.content).toBe(`mine failed: ${text || "Error"}`);
            if (outcome === "bad arguments")
              expect(result.content).toMatch(/^The arguments of mine are invalid: text: /);
          }
        },
      ),
      { seed: 8, numRuns: soak ? 20_000 : 300 },
    );
  });
});
