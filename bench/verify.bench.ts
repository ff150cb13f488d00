import { verifyEvents } from "@ag-ui/client";
import { events, type AGUIEvent } from "@agrx/core";
import { createVerifier, verify, type VerifyOptions } from "@agrx/verify";
import { schemas } from "@agrx/verify/schemas";
import { from, map, tap, type MonoTypeOperatorFunction } from "rxjs";
import { bench } from "./harness.js";

/** Turns of a run: a step, state, streamed text, then calls whose arguments alternate. */
function mixedRun(size: number, openCalls = 4): AGUIEvent[] {
  const run: AGUIEvent[] = [events.runStarted({ threadId: "t", runId: "r" })];
  for (let turn = 0; run.length < size - 1; turn++) {
    const messageId = `message-${turn}`;
    const calls = Array.from({ length: openCalls }, (_, at) => `call-${turn}-${at}`);
    run.push(events.stepStarted({ stepName: "think" }));
    run.push(events.stateDelta({ delta: [{ op: "replace", path: "/turn", value: turn }] }));
    run.push(events.textMessageStart({ messageId, role: "assistant" }));
    for (let i = 0; i < 20; i++) run.push(events.textMessageContent({ messageId, delta: "word " }));
    run.push(events.textMessageEnd({ messageId }));
    for (const toolCallId of calls) {
      run.push(events.toolCallStart({ toolCallId, toolCallName: "search", parentMessageId: messageId }));
    }
    for (let i = 0; i < 10; i++) {
      for (const toolCallId of calls) run.push(events.toolCallArgs({ toolCallId, delta: "abcd" }));
    }
    for (const toolCallId of calls) run.push(events.toolCallEnd({ toolCallId }));
    for (const toolCallId of calls) {
      run.push(events.toolCallResult({ toolCallId, messageId: `${toolCallId}-result`, content: "ok" }));
    }
    run.push(events.stepFinished({ stepName: "think" }));
  }
  run.push(events.runFinished({ threadId: "t", runId: "r" }));
  return run;
}

const drain = (run: AGUIEvent[], operator: () => MonoTypeOperatorFunction<AGUIEvent>) => () => {
  let count = 0;
  from(run)
    .pipe(operator())
    .subscribe({ next: () => count++, error: raise });
  if (count !== run.length) throw new Error(`${count} of ${run.length} events came`);
};

function raise(error: unknown): never {
  throw error;
}

/** The operator as it would be with `tap`: what an own Subscriber saves. */
function verifyByTap(): MonoTypeOperatorFunction<AGUIEvent> {
  const verifier = createVerifier();
  return tap((event) => {
    const violation = verifier.observe(event);
    if (violation) throw new Error(violation.message);
  });
}

// The reference types its events looser than the protocol's package does.
const reference = () => verifyEvents(false) as unknown as MonoTypeOperatorFunction<AGUIEvent>;
const identity = () => map((event: AGUIEvent) => event);
const run = mixedRun(100_000);
const wide = mixedRun(100_000, 1_000);
// As parsed: each event has strings of its own.
const parsed = run.map((event) => JSON.parse(JSON.stringify(event)) as AGUIEvent);

await bench("verify", async ({ race, ratio, growth }) => {
  const times = await race(
    {
      "map(x => x)": drain(run, identity),
      verify: drain(run, () => verify()),
      "verify, producer": drain(run, () => verify({ profile: "producer" })),
      "verify, by tap": drain(run, verifyByTap),
      verifyEvents: drain(run, reference),
      "map(x => x), 1,000 open": drain(wide, identity),
      "verify, 1,000 open": drain(wide, () => verify()),
      "verify, parsed": drain(parsed, () => verify()),
    },
    { count: run.length },
  );
  ratio("verify of map", times.verify, times["map(x => x)"], { atMost: 6 });
  ratio("verify of map, 1,000 calls open", times["verify, 1,000 open"], times["map(x => x), 1,000 open"], {
    atMost: 6,
  });
  ratio("verify of verifyEvents", times.verify, times.verifyEvents, { atMost: 1 / 6 });
  ratio("verify of verify by tap", times.verify, times["verify, by tap"]);
  await growth("verify", (size) => drain(mixedRun(size), () => verify()), [10_000, 100_000], {
    atMost: 1.04,
  });
});

/** A verifier in the middle of a run in which `count` ids were opened and closed. */
function afterClosing(count: number, open: (id: string) => AGUIEvent[], options?: VerifyOptions) {
  const verifier = createVerifier(options);
  verifier.observe(events.runStarted({ threadId: "t", runId: "r" }));
  for (let i = 0; i < count; i++) for (const event of open(ids[i]!)) verifier.observe(event);
  return verifier;
}

const ids = Array.from({ length: 140_000 }, (_, at) => `id-${at}`);
const messageOf = (messageId: string) => [
  events.textMessageStart({ messageId }),
  events.textMessageEnd({ messageId }),
];
const callOf = (toolCallId: string) => [
  events.toolCallStart({ toolCallId, toolCallName: "search", parentMessageId: "message" }),
  events.toolCallEnd({ toolCallId }),
];

await bench("verify: memory of a closed id", async ({ retained, figure }) => {
  // 140,000 ids are just more than half of what a Map grows to: the worst case.
  for (const count of [100_000, 140_000]) {
    await retained(`message, of ${count}`, () => afterClosing(count, messageOf), count, { atMost: 128 });
    await retained(`call, of ${count}`, () => afterClosing(count, callOf), count, { atMost: 128 });
    await retained(
      `call, producer, of ${count}`,
      () => afterClosing(count, callOf, { profile: "producer" }),
      count,
      { atMost: 128 },
    );
  }

  const verifier = createVerifier();
  const started = events.runStarted({ threadId: "t", runId: "r" });
  const content = events.textMessageContent({ messageId: "m", delta: "x" });
  verifier.observe(started);
  verifier.observe(events.textMessageStart({ messageId: "m" }));
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 10_000_000; i++) verifier.observe(content);
  globalThis.gc?.();
  figure("heap grown by 10,000,000 fragments", (process.memoryUsage().heapUsed - before) / 1024, "KiB", {
    atMost: 1_024,
  });
  for (let i = 0; i < 1_000_000; i++) {
    verifier.observe(events.runError({ message: "x" }));
    verifier.observe(started);
  }
  globalThis.gc?.();
  figure("heap grown by 1,000,000 runs more", (process.memoryUsage().heapUsed - before) / 1024, "KiB", {
    atMost: 1_024,
  });
});

await bench("verify: schema gate", async ({ race, ratio }) => {
  const few = run.slice(0, 9_999).concat(run.at(-1)!);
  const whole = mixedRun(10_000);
  const times = await race(
    { verify: drain(whole, () => verify()), "verify with schemas": drain(whole, () => verify({ schemas })) },
    { count: few.length },
  );
  ratio("verify with schemas of verify", times["verify with schemas"], times.verify);
});
