import { tool, type AGUIEvent } from "@agrx/core";
import { agent, type Delta } from "@agrx/llm-adapter";
import { Observable, type Subscription } from "rxjs";
import { z } from "zod";
import { bench } from "./harness.js";

/** A model that has said a few words of its answer and now takes its time. */
const slow = () =>
  new Observable<Delta>((subscriber) => {
    for (const text of ["Let ", "me ", "think "]) subscriber.next({ type: "text", text });
  });
const rollDice = tool({
  name: "roll_dice",
  description: "Rolls a die",
  parameters: z.object({ sides: z.number() }),
  execute: () => 4,
});
const assistant = agent({ model: slow, tools: [rollDice] });

/** Starts runs that then wait, as a server with many clients has them; the sockets are not counted. */
function startRuns(count: number): { subscriptions: Subscription[]; last: AGUIEvent[] } {
  const last: AGUIEvent[] = [];
  const subscriptions = Array.from({ length: count }, (_, number) =>
    assistant({
      threadId: `thread-${number}`,
      runId: `run-${number}`,
      messages: [{ id: "1", role: "user", content: "Roll a die" }],
      tools: [],
      context: [],
    }).subscribe((event) => (last[number] = event)),
  );
  return { subscriptions, last };
}

await bench("1,000 runs at once, each waiting for its model", async ({ race, retained }) => {
  await race(
    {
      "start and leave 1,000 runs": () => {
        for (const subscription of startRuns(1000).subscriptions) subscription.unsubscribe();
      },
    },
    { count: 1000, unit: "run" },
  );
  await retained("bytes an idle run keeps, guard included", () => startRuns(1000), 1000, { atMost: 50_000 });
});
