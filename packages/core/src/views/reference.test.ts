import { defaultApplyEvents, type AbstractAgent } from "@ag-ui/client";
import { from } from "rxjs";
import { generateRun, type GeneratedRun } from "./generated-runs.fixture.js";
import { scanRun } from "./scan-run.js";

const runs = process.env["AGRX_SOAK"] ? 5_000 : 150;

interface Result {
  messages: unknown;
  state: unknown;
}

/** What the reference client makes of a stream; it changes what it is given, so it gets a copy. */
function reference(run: GeneratedRun): Promise<Result> {
  const { messages, state = {}, events } = structuredClone(run);
  const input = {
    threadId: "thread",
    runId: "run",
    messages: [],
    tools: [],
    context: [],
    state,
    forwardedProps: {},
  };
  const agent = { messages, state, threadId: "thread" } as unknown as AbstractAgent;
  return new Promise((resolve, reject) => {
    let result: Result = { messages, state };
    defaultApplyEvents(input, from(events) as never, agent, []).subscribe({
      next: (mutation) => (result = { ...result, ...mutation }),
      error: reject,
      complete: () => resolve(result),
    });
  });
}

/** What `scanRun` makes of it. */
function ours({ messages, state, events }: GeneratedRun): Result {
  let result: Result = { messages, state: state ?? {} };
  from(events)
    .pipe(scanRun({ messages, ...(state !== undefined && { state }) }))
    .subscribe((view) => (result = { messages: view.messages, state: view.state }));
  return result;
}

describe("scanRun beside the reference client's defaultApplyEvents", () => {
  beforeAll(() => {
    jest.spyOn(console, "warn").mockImplementation(() => undefined);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it(`ends with the same messages and state on ${String(runs)} generated runs`, async () => {
    for (let seed = 1; seed <= runs; seed++) {
      const run = generateRun(seed);
      const expected = JSON.parse(JSON.stringify(await reference(run))) as Result;
      const actual = JSON.parse(JSON.stringify(ours(run))) as Result;
      try {
        expect(actual).toEqual(expected);
      } catch (difference) {
        throw new Error(`seed ${String(seed)}: ${(difference as Error).message}`, { cause: difference });
      }
    }
  });
});
