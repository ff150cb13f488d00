import { transformChunks } from "@ag-ui/client";
import {
  compact,
  expandChunks,
  orderedToolCalls,
  wholeToolCalls,
  EventType,
  type AGUIEvent,
} from "@agrx/core";
import { from, map, type MonoTypeOperatorFunction } from "rxjs";
import { bench } from "./harness.js";

/** A run whose messages and calls come as chunks, 20 an entity. */
function chunkedRun(size: number): AGUIEvent[] {
  const run: AGUIEvent[] = [{ type: EventType.RUN_STARTED, threadId: "t", runId: "r" }];
  for (let k = 0; run.length < size - 1; k++) {
    for (let j = 0; j < 20; j++) {
      run.push(
        k % 2
          ? { type: EventType.TOOL_CALL_CHUNK, toolCallId: `c${k}`, toolCallName: "f", delta: "abcd" }
          : { type: EventType.TEXT_MESSAGE_CHUNK, messageId: `m${k}`, role: "assistant", delta: "word " },
      );
    }
  }
  run.push({ type: EventType.RUN_FINISHED, threadId: "t", runId: "r" });
  return run;
}

const drain = (events: AGUIEvent[], operator: MonoTypeOperatorFunction<AGUIEvent>) => () => {
  let count = 0;
  from(events)
    .pipe(operator)
    .subscribe({ next: () => count++, error: raise });
  if (count === 0) throw new Error("nothing came");
};

function raise(error: unknown): never {
  throw error;
}

// The reference types its events looser than the protocol's package does.
const referenceExpansion = transformChunks(false) as unknown as MonoTypeOperatorFunction<AGUIEvent>;
const chunks = chunkedRun(100_000);

await bench("expandChunks", async ({ race, ratio, growth }) => {
  const times = await race(
    {
      "map(x => x)": drain(
        chunks,
        map((x) => x),
      ),
      expandChunks: drain(chunks, expandChunks()),
      transformChunks: drain(chunks, referenceExpansion),
    },
    { count: chunks.length },
  );
  ratio("expandChunks of transformChunks", times.expandChunks, times.transformChunks, { atMost: 1 / 4 });
  await growth("expandChunks", (size) => drain(chunkedRun(size), expandChunks()), [10_000, 100_000], {
    atMost: 1.04,
  });
});

/** Batches of interleaved calls, 8 open at once, 20 fragments each. */
function interleavedRun(size: number): AGUIEvent[] {
  const run: AGUIEvent[] = [{ type: EventType.RUN_STARTED, threadId: "t", runId: "r" }];
  for (let k = 0; run.length < size - 1; k++) {
    const ids = Array.from({ length: 8 }, (_, j) => `c${k}-${j}`);
    for (const toolCallId of ids)
      run.push({ type: EventType.TOOL_CALL_START, toolCallId, toolCallName: "f" });
    for (let j = 0; j < 20; j++) {
      for (const toolCallId of ids) run.push({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta: "abcd" });
    }
    for (const toolCallId of ids) run.push({ type: EventType.TOOL_CALL_END, toolCallId });
  }
  run.push({ type: EventType.RUN_FINISHED, threadId: "t", runId: "r" });
  return run;
}

const interleaved = interleavedRun(100_000);
const explicit: AGUIEvent[] = [];
from(chunks)
  .pipe(expandChunks())
  .subscribe((event) => explicit.push(event));

await bench("compact, wholeToolCalls, orderedToolCalls", async ({ race, growth }) => {
  await race(
    {
      "map(x => x)": drain(
        interleaved,
        map((x) => x),
      ),
      "compact, explicit": drain(explicit, compact()),
      "compact, chunks": drain(chunks, compact()),
      wholeToolCalls: drain(interleaved, wholeToolCalls()),
      orderedToolCalls: drain(interleaved, orderedToolCalls()),
    },
    { count: interleaved.length },
  );
  const sizes = [10_000, 100_000] as const;
  await growth("compact", (size) => drain(chunkedRun(size), compact()), sizes, { atMost: 1.04 });
  await growth("wholeToolCalls", (size) => drain(interleavedRun(size), wholeToolCalls()), sizes, {
    atMost: 1.04,
  });
  await growth("orderedToolCalls", (size) => drain(interleavedRun(size), orderedToolCalls()), sizes, {
    atMost: 1.04,
  });
});
