import { run, type AGUIEvent, type RunAgentInput, type RunContext } from "@agrx/core";
import { verify } from "@agrx/verify";
import type { Observable } from "rxjs";
import { moves, type Board, type MoveName } from "./board.js";
import { plan, type Move } from "./plan.js";

/**
 * An agent that moves tasks on the client's board, on the client's behalf: it opens a tool's call only when
 * the client offered the tool, publishes the board while the call is open, and answers the call itself.
 */
export function boardAgent(input: RunAgentInput, pause: () => Promise<void>): Observable<AGUIEvent> {
  return run<Board>(
    input,
    async (ctx) => {
      for (const move of plan(ctx.lastUserText ?? "")) {
        if (!ctx.tool(move.name)) {
          say(ctx, `You did not offer ${move.name}, so I leave that.`);
          continue;
        }
        await make(ctx, move, pause);
      }
      showSummary(ctx);
      say(ctx, `The board has ${ctx.state.tasks.length} tasks.`);
    },
    { guard: verify({ profile: "producer", input }) },
  );
}

/** One move as one call: START, ARGS, the new board, END, RESULT. */
async function make(ctx: RunContext<Board>, { name, args }: Move, pause: () => Promise<void>): Promise<void> {
  using call = ctx.openToolCall(name);
  call.argsJson(args);
  await pause();
  const { parameters, apply } = moves[name];
  const parsed = call.parseArgs(parameters);
  call.updateState((board) => apply(board, parsed as never));
  call.resultJson({ tasks: ctx.state.tasks.length });
}

/** A call of a tool that nobody offered: its arguments carry a surface to whatever front end knows it. */
function showSummary(ctx: RunContext<Board>): void {
  using call = ctx.openToolCall("render_a2ui");
  const done = ctx.state.tasks.filter((task) => task.column === "done").length;
  call.argsJson({
    surface: "summary",
    components: [{ type: "progress", value: done, max: ctx.state.tasks.length }],
  });
  call.result("shown");
}

function say(ctx: RunContext<Board>, text: string): void {
  using message = ctx.openMessage();
  message.content(text);
}

export type { MoveName };
