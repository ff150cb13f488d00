// Views beside the reference client's, and what an event costs in a thread that is long already.
import { defaultApplyEvents, type AbstractAgent } from "@ag-ui/client";
import { from } from "rxjs";
import { events, scanMessages, scanRun, type AGUIEvent, type Message } from "@agrx/core";
import { bench } from "./harness.js";

const ids = { threadId: "t", runId: "r" };

/** A run of text messages, each in so many deltas. */
function textRun(messages: number, deltas: number): AGUIEvent[] {
  const stream: AGUIEvent[] = [events.runStarted(ids)];
  for (let m = 0; m < messages; m++) {
    const messageId = `m${m}`;
    stream.push(events.textMessageStart({ messageId, role: "assistant" }));
    for (let i = 0; i < deltas; i++) stream.push(events.textMessageContent({ messageId, delta: "word " }));
    stream.push(events.textMessageEnd({ messageId }));
  }
  stream.push(events.runFinished(ids));
  return stream;
}

function drain(stream: readonly AGUIEvent[], initial: Parameters<typeof scanRun>[0] = {}): unknown {
  let last: unknown;
  from(stream)
    .pipe(scanRun(initial))
    .subscribe((view) => (last = view));
  return last;
}

function reference(stream: readonly AGUIEvent[]): Promise<void> {
  const input = { ...ids, messages: [], tools: [], context: [], state: {}, forwardedProps: {} };
  const agent = { messages: [], state: {}, threadId: "t" } as unknown as AbstractAgent;
  return new Promise((resolve, reject) => {
    defaultApplyEvents(input, from(stream) as never, agent, []).subscribe({
      complete: resolve,
      error: reject,
    });
  });
}

await bench("views: 20,000 deltas in 200 messages", async ({ race, ratio }) => {
  const stream = textRun(200, 100);
  const times = await race(
    {
      scanRun: () => drain(stream),
      scanMessages: () => from(stream).pipe(scanMessages()).subscribe(),
      "reference client": () => reference(stream),
    },
    { rounds: 3, warmup: 1, count: stream.length },
  );
  ratio("scanRun of the reference client", times.scanRun, times["reference client"], { atMost: 1 / 60 });
});

const held = (count: number): Message[] =>
  Array.from({ length: count }, (_, i) => ({ id: `h${i}`, role: "user", content: "Hello" }));

const deltas = 3_000;
const kinds: Record<string, AGUIEvent[]> = {
  "text delta": [
    events.textMessageStart({ messageId: "m", role: "assistant" }),
    events.textMessageContent({ messageId: "m", delta: "word " }),
    ...Array.from({ length: deltas }, () => events.textMessageContent({ messageId: "m", delta: "word " })),
  ],
  "arguments delta": [
    events.toolCallStart({ toolCallId: "c", toolCallName: "f" }),
    events.toolCallArgs({ toolCallId: "c", delta: '{"text":"' }),
    ...Array.from({ length: deltas }, () => events.toolCallArgs({ toolCallId: "c", delta: "word " })),
  ],
  "state delta": [
    events.runStarted(ids),
    events.stateSnapshot({ snapshot: { n: 0, rows: Array.from({ length: 100 }, (_, i) => i) } }),
    ...Array.from({ length: deltas }, (_, i) =>
      events.stateDelta({ delta: [{ op: "replace", path: "/n", value: i + 1 }] }),
    ),
  ],
};

for (const [kind, stream] of Object.entries(kinds)) {
  await bench(`views: a ${kind} in a thread of so many messages`, async ({ race, figure }) => {
    const begin = stream.slice(0, 2);
    const sizes = [10, 1_000, 10_000] as const;
    const threads = sizes.map((count) => [count, held(count)] as const);
    const copying = (list: readonly Message[]) => () => {
      let copy = list;
      for (let i = 0; i < deltas; i++) copy = copy.slice();
      return copy;
    };
    const times = await race<string>(
      Object.fromEntries(
        threads.flatMap(([count, messages]) => [
          [`${count}`, () => drain(stream, { messages })],
          [`${count}, only to begin`, () => drain(begin, { messages })],
          [`${count}, only copies of the list`, copying(messages)],
        ]),
      ),
      { rounds: 7, count: deltas },
    );
    for (const count of sizes) {
      const copies = kind === "state delta" ? 0 : times[`${count}, only copies of the list`]!;
      const cost = times[`${count}`]! - times[`${count}, only to begin`]! - copies;
      figure(`with ${count} messages, beyond one copy of their list`, (1e6 * cost) / deltas, "ns");
    }
  });
}
