import { defer, from, map, mergeMap, of, throwError, toArray, type Observable } from "rxjs";
import type { ToolMessage } from "../protocol/vocabulary.js";
import type { RunView } from "../views/run-view.js";
import { answerToolCall, type ToolAnswer, type ToolRunOptions } from "./answer-tool-call.js";
import type { ToolCall } from "./tool-call.js";
import type { ExecutableTool } from "./tool.js";
import { toolRegistry } from "./tool-registry.js";
import { resultMessageIdOf, toolMessage } from "./tool-result.js";
import { ToolUsageError } from "./tool-usage-error.js";

/** Settings of {@link answerClientTools}. */
export interface AnswerClientToolsOptions extends ToolRunOptions {
  /**
   * Answers a call of a tool that is not here, as `execute` would. Default: the call is answered with an
   * error, since a thread cannot go on while one of its calls is unanswered.
   */
  readonly onUnknownToolCall?: ((call: ToolCall) => unknown) | undefined;
}

/** What {@link answerClientTools} reads of a view. */
export type FinishedRun = Pick<RunView, "status" | "toolCalls" | "pendingToolCallIds" | "interrupts">;

/**
 * The client's side of tools: runs the calls that a finished run left open and gives the tool messages for
 * the next input.
 *
 * Only after RUN_FINISHED, when the view's status is "finished" or "interrupted": before, a call may yet be
 * answered by the agent. Calls that an interrupt is about are the agent's and stay open; calls that the
 * provider runs are not looked at. Bad arguments and a tool that fails become a message with `error`, or with
 * `onError: "fail"` the error of the Observable. It emits no TOOL_CALL_RESULT: that is the agent's word.
 *
 * Emits one list, in the order of the calls, empty when none was open, and completes. Cold. Unsubscribing
 * aborts the signal of every running tool, synchronously.
 *
 * ```text
 * view      status "finished", pending c1, c2
 * tool c1   -----x|
 * tool c2   --x|
 * result    -----(l|)          l: [message of c1, message of c2]
 * ```
 *
 * @param view - a view of the finished run, as `scanRun` gives it
 * @param tools - the client's tools
 * @param options - see {@link AnswerClientToolsOptions}
 * @returns an Observable that errors with `ToolUsageError` `run-not-finished` for a view of any other status
 * @throws ToolUsageError `duplicate-tool`; `no-context` for a tool with `needsApproval`: a client's tool asks
 * its user in `execute`
 *
 * @example
 * ```ts
 * import { answerClientTools, tool } from "@agrx/core";
 * import { z } from "zod";
 *
 * const open = tool({
 *   name: "open_panel",
 *   description: "Opens a panel.",
 *   parameters: z.object({ panel: z.string() }),
 *   execute: ({ panel }) => `${panel} is open`,
 * });
 * const args = { panel: "settings" };
 * const call = { id: "c1", name: "open_panel", arguments: JSON.stringify(args), args, status: "complete" as const };
 * const view = { status: "finished" as const, toolCalls: [call], pendingToolCallIds: ["c1"], interrupts: [] };
 * answerClientTools(view, [open]).subscribe(([message]) => {
 *   console.log(message?.toolCallId, message?.content); // c1 settings is open
 * });
 * ```
 */
export function answerClientTools(
  view: FinishedRun,
  tools: readonly ExecutableTool[],
  options: AnswerClientToolsOptions = {},
): Observable<ToolMessage[]> {
  const registry = toolRegistry(tools, false);
  if (view.status !== "finished" && view.status !== "interrupted") {
    return throwError(
      () =>
        new ToolUsageError(
          "run-not-finished",
          `The run is "${view.status}"; client tools run when it is "finished" or "interrupted".`,
        ),
    );
  }

  const answer = (call: ToolCall): Observable<ToolAnswer> => {
    const toAnswer = { id: call.id, text: call.arguments, resultMessageId: resultMessageIdOf(call.id) };
    const tool = registry.get(call.name) ?? unknownTool(call, options);
    return tool
      ? answerToolCall(tool, toAnswer, { ...options, input: undefined, emit: () => undefined })
      : of({ content: `There is no tool "${call.name}" here: it did not run.`, failure: "unknown-tool" });
  };

  return defer(() =>
    from(openCalls(view)).pipe(
      mergeMap(
        (call, position) =>
          answer(call).pipe(
            map(({ content, failure }) => ({
              position,
              message: toolMessage(call.id, content, failure !== undefined),
            })),
          ),
        options.concurrency,
      ),
      toArray(),
      map((answers) => answers.sort((a, b) => a.position - b.position).map(({ message }) => message)),
    ),
  );
}

function openCalls({ toolCalls, pendingToolCallIds, interrupts }: FinishedRun): ToolCall[] {
  const open = new Set(pendingToolCallIds);
  for (const { toolCallId } of interrupts) if (toolCallId !== undefined) open.delete(toolCallId);
  return toolCalls.filter((call) => open.has(call.id) && call.providerExecuted !== true);
}

/** A stand-in for a tool that is not here: it takes any arguments, also none that are JSON. */
function unknownTool(
  call: ToolCall,
  { onUnknownToolCall }: AnswerClientToolsOptions,
): ExecutableTool | undefined {
  if (!onUnknownToolCall) return undefined;
  return {
    name: call.name,
    description: "",
    parameters: { "~standard": { version: 1, vendor: "agrx", validate: (value: unknown) => ({ value }) } },
    jsonSchema: { type: "string" },
    execute: () => onUnknownToolCall(call),
  };
}
