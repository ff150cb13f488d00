import { transformChunks } from "@ag-ui/client";
import { expandChunks, EventType, type AGUIEvent } from "@agrx/core";
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
