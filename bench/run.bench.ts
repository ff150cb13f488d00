import { EventType, run, type AGUIEvent, type RunProject } from "@agrx/core";
import { from, map, type Observable } from "rxjs";
import { bench } from "./harness.js";

const input = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };

/** Text messages and tool calls in turn, 20 fragments an entity. */
function project(size: number): AGUIEvent[] {
  const list: AGUIEvent[] = [];
  for (let k = 0; list.length < size; k++) {
    const id = `e${k}`;
    if (k % 2) {
      list.push({ type: EventType.TOOL_CALL_START, toolCallId: id, toolCallName: "f" });
      for (let j = 0; j < 20; j++)
        list.push({ type: EventType.TOOL_CALL_ARGS, toolCallId: id, delta: "abcd" });
      list.push({ type: EventType.TOOL_CALL_END, toolCallId: id });
    } else {
      list.push({ type: EventType.TEXT_MESSAGE_START, messageId: id, role: "assistant" });
      for (let j = 0; j < 20; j++) {
        list.push({ type: EventType.TEXT_MESSAGE_CONTENT, messageId: id, delta: "word " });
      }
      list.push({ type: EventType.TEXT_MESSAGE_END, messageId: id });
    }
  }
  return list;
}

const drain = (events$: Observable<AGUIEvent>) => () => {
  let count = 0;
  let last: AGUIEvent | undefined;
  events$.subscribe((event) => {
    count++;
    last = event;
  });
  if (last?.type === EventType.RUN_ERROR || count === 0) throw new Error("the run failed");
};

const plain = project(100_000);
const count = plain.length;

/** The same number of fragments through a handle, and through a declarative builder. */
const byHandle: RunProject = (ctx) => {
  const call = ctx.openToolCall("f");
  for (let k = 0; k < count; k++) call.args("abcd");
  call.end();
};
const fragments = Array.from({ length: count }, () => "word ");

await bench("run", async ({ race, ratio, growth }) => {
  const times = await race(
    {
      "bare project": drain(from(plain)),
      "map(x => x)": drain(from(plain).pipe(map((event) => event))),
      run: drain(run(input, () => plain)),
      "run, guard map(x => x)": drain(run(input, () => plain, { guard: map((event) => event) })),
      "run, a handle's args": drain(run(input, byHandle)),
      "run, ctx.text": drain(run(input, (ctx) => ctx.text(fragments))),
    },
    { count },
  );
  ratio("run of map(x => x)", times.run, times["map(x => x)"]);
  const grown = (size: number) => {
    const list = project(size);
    return drain(run(input, () => list));
  };
  await growth("run", grown, [10_000, 100_000], { atMost: 1.2 });
});
