import { EventType, ofType, scanRun, type AGUIEvent, type RunAgentInput } from "@agrx/core";
import { createVerifier } from "@agrx/verify";
import { from, lastValueFrom, toArray } from "rxjs";
import { boardAgent } from "./agent.js";
import { emptyBoard, moves, type Board } from "./board.js";
import { draw } from "./draw.js";
import { offeredTools } from "./offered-tools.js";

const ask = (content: string, offered: Partial<typeof moves> = moves): RunAgentInput => ({
  threadId: "t",
  runId: "r",
  messages: [{ id: "u", role: "user", content }],
  tools: offeredTools(offered),
  context: [],
  state: emptyBoard,
});
const eventsOf = (input: RunAgentInput) =>
  lastValueFrom(boardAgent(input, () => Promise.resolve()).pipe(toArray()));
const everyMove = "add A; add B to doing; move A to done; rename B to C; remove A";

describe("the task board's agent", () => {
  it("publishes the board inside each call's bracket, first whole, then as what changed", async () => {
    const events = await eventsOf(ask("add A; add B"));
    const types = events.map(({ type }) => type);
    const bracket = [EventType.TOOL_CALL_START, EventType.TOOL_CALL_ARGS];
    const answer = [EventType.TOOL_CALL_END, EventType.TOOL_CALL_RESULT];
    expect(types.slice(1, 6)).toEqual([...bracket, EventType.STATE_SNAPSHOT, ...answer]);
    expect(types.slice(6, 8)).toEqual(bracket);
    expect([EventType.STATE_SNAPSHOT, EventType.STATE_DELTA]).toContain(types[8]);
    expect(types.slice(9, 11)).toEqual(answer);
  });

  it("makes all four moves, and the client's copy of the board is the agent's", async () => {
    const events = await eventsOf(ask(everyMove));
    const view = await lastValueFrom(from(events).pipe(scanRun<Board>({ state: emptyBoard })));
    expect(view.status).toBe("finished");
    expect(view.state).toEqual({ tasks: [{ title: "C", column: "doing" }] });
  });

  it("opens no call of a tool that the client did not offer, and finishes all the same", async () => {
    const { add_task } = moves;
    const events = await eventsOf(ask("add A; remove A", { add_task }));
    const names = await lastValueFrom(from(events).pipe(ofType("TOOL_CALL_START"), toArray()));
    expect(names.map((event) => event.toolCallName)).toEqual(["add_task", "render_a2ui"]);
    expect(events.at(-1)?.type).toBe(EventType.RUN_FINISHED);
  });

  it("answers on the client's behalf, which is worth a warning and no error", async () => {
    const input = ask("add A");
    const warned: string[] = [];
    const verifier = createVerifier({
      profile: "producer",
      input,
      onWarning: ({ code }) => warned.push(code),
    });
    const events: AGUIEvent[] = await eventsOf(input);
    expect(events.map((event) => verifier.observe(event)).filter(Boolean)).toEqual([]);
    expect(verifier.finish()).toBeUndefined();
    expect(warned).toEqual(["frontend-tool-answered"]);
  });
});

describe("draw", () => {
  it("puts each task into its column", () => {
    expect(draw({ tasks: [{ title: "A", column: "doing" }] }).split("\n")[3]).toMatch(/^│ +│ A +│ +│$/);
  });
});
