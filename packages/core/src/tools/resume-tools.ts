import {
  catchError,
  defer,
  EMPTY,
  from,
  ignoreElements,
  map,
  merge,
  mergeMap,
  of,
  Subject,
  tap,
  throwError,
  type Observable,
} from "rxjs";
import { events } from "../protocol/events.js";
import type { RunScope } from "../protocol/run-scope.js";
import type { AGUIEvent, Message, MessageToolCall } from "../protocol/vocabulary.js";
import { answerEvent, answerToolCall, type Permission, type ToolRunOptions } from "./answer-tool-call.js";
import {
  approvalInterruptId,
  askForApproval,
  callToApprove,
  needsApproval,
  permissionOf,
} from "./approval.js";
import { answeredCalls } from "./answered-calls.js";
import { PROVIDER_EXECUTED } from "./provider-executed.js";
import { readToolArguments } from "./read-tool-arguments.js";
import { ResumeError } from "./resume-error.js";
import type { ExecutableTool } from "./tool.js";
import { toolRegistry, type ToolRegistry } from "./tool-registry.js";
import type { EndedCall } from "./tool-call-collector.js";
import { isToolError } from "./tool-error.js";

/** Settings of {@link resumeTools}. */
export interface ResumeToolsOptions extends ToolRunOptions {
  /** The run that resumes: its input holds the calls and the answers. */
  readonly context: RunScope;
}

/**
 * Goes on with the calls that an earlier run left for approval: runs or declines each unanswered call of
 * `tools` in the input's messages that the input's `resume` answers, and asks again for those without an
 * answer.
 *
 * An approval is `{ approved: true }` or `true`; `{ approved: false, reason? }`, `false` and the status
 * "cancelled" decline, and the call is answered with a result that says so. Emits the results, in the order
 * of completion, and what the tools emit; completes when they are done. Put it before the agent's next
 * turn: `concat(resumeTools(tools, { context: ctx }), turn)`.
 *
 * Cold. Unsubscribing aborts the signal of every running tool, synchronously.
 *
 * ```text
 * resume    approve-c1: true, approve-c2: cancelled
 * tool c1   -----x|
 * result    r(c2)-r(c1)|
 * ```
 *
 * @param tools - the agent's tools
 * @param options - see {@link ResumeToolsOptions}
 * @returns an Observable that errors with `ResumeError`, before anything runs: `double-answer`,
 * `stale-answer` when the call has its result already, `invalid-answer`
 *
 * @example
 * ```ts
 * import { resumeTools, run, tool } from "@agrx/core";
 * import { z } from "zod";
 *
 * const remove = tool({
 *   name: "remove",
 *   description: "Removes a file.",
 *   parameters: z.object({ file: z.string() }),
 *   needsApproval: true,
 *   execute: ({ file }) => `removed ${file}`,
 * });
 * const toolCall = { id: "c1", type: "function" as const, function: { name: "remove", arguments: '{"file":"a"}' } };
 * const input = {
 *   threadId: "t",
 *   runId: "r2",
 *   messages: [{ id: "m1", role: "assistant" as const, toolCalls: [toolCall] }],
 *   tools: [],
 *   context: [],
 *   resume: [{ interruptId: "approve-c1", status: "resolved" as const, payload: { approved: true } }],
 * };
 * run(input, (ctx) => resumeTools([remove], { context: ctx })).subscribe((event) => {
 *   if (event.type === "TOOL_CALL_RESULT") console.log(event.content); // removed a
 * });
 * ```
 */
export function resumeTools(
  tools: readonly ExecutableTool[],
  options: ResumeToolsOptions,
): Observable<AGUIEvent> {
  const registry = toolRegistry(tools, true);
  const { context, concurrency } = options;
  return defer(() => {
    const waiting = waitingCalls(registry, context);
    const progress = new Subject<AGUIEvent>();
    const emit = (event: AGUIEvent) => progress.next(event);
    const work = from(waiting).pipe(
      mergeMap(
        (call) => ("permission" in call ? resume(call, options, emit) : askAgain(call, context)),
        concurrency,
      ),
      tap({ complete: () => progress.complete() }),
    );
    return merge(progress, work);
  }).pipe(
    catchError((error: unknown) =>
      isToolError(error)
        ? of(events.runError({ message: error.message, code: error.code }))
        : throwError(() => error),
    ),
  );
}

interface ResumedCall extends EndedCall {
  readonly permission: Permission;
  readonly resultMessageId: string;
}

function resume(
  call: ResumedCall,
  options: ResumeToolsOptions,
  emit: (event: AGUIEvent) => void,
): Observable<AGUIEvent> {
  return answerToolCall(call.tool, call, {
    ...options,
    input: options.context.input,
    emit,
    permit: () => of(call.permission),
  }).pipe(map((answer) => answerEvent(call, answer)));
}

/** Asks again for a call that would have been asked for; what it was called with may be no good any more. */
function askAgain(call: EndedCall, context: RunScope): Observable<never> {
  return readToolArguments(call.tool, call.id, call.text).pipe(
    mergeMap((args) => needsApproval(call.tool, args)),
    catchError(() => EMPTY),
    tap((needed) => {
      if (needed) askForApproval(call, context);
    }),
    ignoreElements(),
  );
}

/** The unanswered calls of our own tools, each with its answer where one came; in the order of the messages. */
function waitingCalls(registry: ToolRegistry, context: RunScope): (EndedCall | ResumedCall)[] {
  const { messages } = context.input;
  const answered = answeredCalls(messages);
  const own = messages.flatMap((message) => callsOf(message, registry));
  refuseDoubleAndStale(context, new Set(own.map(({ id }) => id).filter((id) => answered.has(id))));
  return own
    .filter(({ id }) => !answered.has(id))
    .map((call) => {
      const entry = context.resumeFor(approvalInterruptId(call.id));
      return entry ? { ...call, permission: permissionOf(entry) } : call;
    })
    .map((call) => ("permission" in call ? { ...call, resultMessageId: context.nextMessageId() } : call));
}

function callsOf(message: Message, registry: ToolRegistry): EndedCall[] {
  if (message.role !== "assistant") return [];
  const { toolCalls = [], subagentRunId } = message;
  return toolCalls.flatMap((call: MessageToolCall) => {
    const tool = registry.get(call.function.name);
    if (!tool || call.metadata?.[PROVIDER_EXECUTED] === true) return [];
    return [{ id: call.id, tool, text: call.function.arguments, subagentRunId }];
  });
}

function refuseDoubleAndStale({ input }: RunScope, answered: ReadonlySet<string>): void {
  const seen = new Set<string>();
  for (const { interruptId } of input.resume ?? []) {
    const callId = callToApprove(interruptId);
    if (callId === undefined) continue;
    if (seen.has(interruptId)) {
      throw new ResumeError(
        "double-answer",
        interruptId,
        "is answered twice. Send one answer to each interrupt.",
      );
    }
    seen.add(interruptId);
    if (answered.has(callId)) {
      throw new ResumeError(
        "stale-answer",
        interruptId,
        "is about a call that has its result. Answer the interrupts of the latest run only.",
      );
    }
  }
}
