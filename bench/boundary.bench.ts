import { EventSchema } from "@ag-ui/core/schemas";
import { decodeSse, encodeSse, events, parseEvents, type AGUIEvent } from "@agrx/core";
import { from } from "rxjs";
import { createEventParser } from "../packages/core/src/boundary/event-parser.js";
import { bench } from "./harness.js";

/** Runs as agents send them: text and two calls in small fragments, some state, metadata here and there. */
function mixedRun(count: number): AGUIEvent[] {
  const all: AGUIEvent[] = [];
  for (let run = 0; all.length < count; run++) {
    const threadId = "thread-1";
    const runId = `run-${run}`;
    const messageId = `${runId}-msg-1`;
    all.push(events.runStarted({ threadId, runId, protocolVersion: "1.0" }));
    all.push(events.textMessageStart({ messageId, role: "assistant" }));
    for (let i = 0; i < 40; i++) {
      all.push(events.textMessageContent({ messageId, delta: ` word${i}` }));
    }
    all.push(events.textMessageEnd({ messageId }));
    for (const call of [1, 2]) {
      const toolCallId = `${runId}-call-${call}`;
      all.push(events.toolCallStart({ toolCallId, toolCallName: "get_weather", parentMessageId: messageId }));
      for (let i = 0; i < 20; i++) all.push(events.toolCallArgs({ toolCallId, delta: `{"city":"S${i}` }));
      all.push(events.toolCallEnd({ toolCallId }));
      all.push(
        events.toolCallResult({ toolCallId, messageId: `${runId}-msg-${call + 1}`, content: "sunny" }),
      );
    }
    all.push(events.stateDelta({ delta: [{ op: "replace", path: "/rows/3/name", value: "new" }] }));
    all.push(events.custom({ name: "progress", value: { done: 3 }, metadata: { source: "bench" } }));
    all.push(events.runFinished({ threadId, runId, outcome: { type: "success" } }));
  }
  return all.slice(0, count);
}

function bytesOf(all: AGUIEvent[], size: number): Uint8Array[] {
  const frames: string[] = [];
  from(all)
    .pipe(encodeSse())
    .subscribe((frame) => frames.push(frame));
  const bytes = new TextEncoder().encode(frames.join(""));
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  );
}

let sink = 0;
const count = 50_000;
const texts = mixedRun(count).map((event) => JSON.stringify(event));
const parsed = texts.map((text) => JSON.parse(text) as unknown);

await bench("parseEvents: checking an event", async ({ race, ratio }) => {
  const times = await race(
    {
      "JSON.parse": () => {
        for (const text of texts) sink += (JSON.parse(text) as string[]).length;
      },
      "zod safeParse": () => {
        for (const event of parsed) sink += EventSchema.safeParse(event).success ? 1 : 0;
      },
      "the check alone": () => {
        const parser = createEventParser();
        for (const event of parsed) sink += parser.parse(event) === event ? 1 : 0;
      },
      "parseEvents()": () => {
        from(parsed)
          .pipe(parseEvents())
          .subscribe(() => sink++);
      },
    },
    { count },
  );
  ratio("the check of JSON.parse", times["the check alone"], times["JSON.parse"], { atMost: 1 / 2 });
  ratio("the check of zod safeParse", times["the check alone"], times["zod safeParse"], { atMost: 1 / 3 });
});

await bench("decodeSse: bytes to events", async ({ race, ratio, growth, figure }) => {
  const all = mixedRun(count);
  const cut = { "64 kB": bytesOf(all, 65_536), "1 kB": bytesOf(all, 1024), "16 bytes": bytesOf(all, 16) };
  const decode = (parts: Uint8Array[]) => () => {
    from(parts)
      .pipe(decodeSse())
      .subscribe(() => sink++);
  };
  const splitAndParse = (parts: Uint8Array[]) => () => {
    const decoder = new TextDecoder();
    let rest = "";
    for (const part of parts) {
      const frames = (rest + decoder.decode(part, { stream: true })).split("\n\n");
      rest = frames.pop()!;
      for (const frame of frames) sink += (JSON.parse(frame.slice(6)) as string[]).length;
    }
  };
  const times = await race(
    {
      "split and JSON.parse, 64 kB": splitAndParse(cut["64 kB"]),
      "decodeSse, 64 kB": decode(cut["64 kB"]),
      "decodeSse, 1 kB": decode(cut["1 kB"]),
      "decodeSse, 16 bytes": decode(cut["16 bytes"]),
    },
    { count },
  );
  ratio(
    "decodeSse of split and JSON.parse",
    times["decodeSse, 64 kB"],
    times["split and JSON.parse, 64 kB"],
    { atMost: 1.5 },
  );
  const megabytes = cut["64 kB"].reduce((sum, part) => sum + part.length, 0) / 1e6;
  figure("decodeSse, 64 kB", megabytes / (times["decodeSse, 64 kB"] / 1000), "MB/s");
  await growth("one frame in pieces of 100 bytes", (size) => decode(longFrame(size)), [200_000, 4_000_000], {
    atMost: 1.2,
    rounds: 5,
  });
});

function longFrame(size: number): Uint8Array[] {
  return bytesOf([events.textMessageContent({ messageId: "m", delta: "x".repeat(size) })], 100);
}

if (sink === 0) throw new Error("nothing was measured");
