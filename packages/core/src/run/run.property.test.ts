import fc from "fast-check";
import { delay } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import type { AGUIEvent } from "../index.js";
import { acts, ending, play, runs, type Act } from "./random-agent.fixture.js";
import { briefly, faultsOf } from "./run.fixture.js";

const isAnswered = (event: AGUIEvent) => event.type === "TOOL_CALL_RESULT";

describe("any agent's run", () => {
  it("is legal, has one terminal event and completes, however its handles and builders are used", () => {
    fc.assert(
      fc.property(acts, ending, acts, (plan, end, inNext) => {
        const { events: got, end: ended } = play(plan, { ending: end, inNext });
        expect(faultsOf(got)).toEqual([]);
        expect(ended).toBe("complete");
        const answers = got.filter(isAnswered).map((event) => (event as { toolCallId: string }).toolCallId);
        expect(new Set(answers).size).toBe(answers.length);
      }),
      runs,
    );
  });

  it("is legal when the events of its builders take their time", () => {
    fc.assert(
      fc.property(acts, ending, (plan, end) => {
        new TestScheduler(() => undefined).run(({ flush }) => {
          const got = play(plan, { ending: end, way: delay(3) });
          flush();
          expect(faultsOf(got.events)).toEqual([]);
          expect(got.end).toBe("complete");
        });
      }),
      runs,
    );
  });

  it("is the same every time", () => {
    const ids = (plan: readonly Act[]) => briefly(play(plan, { ending: "stop" }).events);
    fc.assert(
      fc.property(acts, (plan) => expect(ids(plan)).toBe(ids(plan))),
      { ...runs, numRuns: 50 },
    );
  });
});
