import { EventType, scanRun } from "@agrx/core";
import { distinctUntilChanged, map, share, merge, tap } from "rxjs";
import { setTimeout } from "node:timers/promises";
import pc from "picocolors";
import { boardAgent } from "./agent.js";
import { emptyBoard, moves, type Board } from "./board.js";
import { draw } from "./draw.js";
import { offeredTools } from "./offered-tools.js";

const fallback =
  "add Write the guide. add Measure. move Measure to doing. add Publish. rename Publish to Publish 1.0. move Measure to done. remove Write the guide";
const text = process.argv.slice(2).join(" ") || fallback;

const input = {
  threadId: "thread-1",
  runId: "run-1",
  messages: [{ id: "user-1", role: "user" as const, content: text }],
  tools: offeredTools(moves),
  context: [],
  state: emptyBoard,
};

const event$ = boardAgent(input, () => setTimeout(300)).pipe(share());
const told$ = event$.pipe(
  tap((event) => {
    if (event.type === EventType.TOOL_CALL_START) console.log(pc.cyan(`\n${event.toolCallName}`));
    if (event.type === EventType.TEXT_MESSAGE_CONTENT) console.log(`\n${event.delta}`);
    if (event.type === EventType.RUN_ERROR) console.error(pc.red(event.message));
  }),
  map(() => undefined),
);
const boards$ = event$.pipe(
  scanRun<Board>({ state: emptyBoard }),
  map((view) => view.state),
  distinctUntilChanged(), // the state keeps its reference until it changes
  tap((board) => console.log(draw(board))),
);
merge(told$, boards$).subscribe();
