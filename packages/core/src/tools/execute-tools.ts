import { map, Observable, Subject, takeUntil, type MonoTypeOperatorFunction } from "rxjs";
import { events } from "../protocol/events.js";
import type { RunScope } from "../protocol/run-scope.js";
import { EventType, type AGUIEvent, type RunAgentInput } from "../protocol/vocabulary.js";
import { answerEvent, answerToolCall, type ToolRunOptions } from "./answer-tool-call.js";
import { permitOrAsk } from "./approval.js";
import type { ExecutableTool } from "./tool.js";
import { createToolCallCollector, type EndedCall } from "./tool-call-collector.js";
import { isToolError } from "./tool-error.js";
import { createToolJobs } from "./tool-jobs.js";
import { toolRegistry, type ToolRegistry } from "./tool-registry.js";
import { resultMessageIdOf } from "./tool-result.js";

/** Settings of {@link executeTools}. */
export interface ExecuteToolsOptions extends ToolRunOptions {
  /**
   * The run that the calls belong to: gives the ids of the results, the input, and asks for approvals.
   * Default: result ids are `<toolCallId>-result`, the input is RUN_STARTED's, and nobody can be asked.
   */
  readonly context?: RunScope | undefined;
}

/**
 * Runs the agent's own tools: passes every event on and, when a call to one of `tools` has ended, validates
 * its arguments, runs it and sends its TOOL_CALL_RESULT.
 *
 * Results come in the order of completion, unlimited at once by default, and synchronously where the tool
 * is. Bad arguments and a tool that fails become a result that says so, marked in its metadata
 * (`agrx.toolError`), or with `onError: "fail"` a RUN_ERROR, after which the stream completes. The ids of
 * results are allocated as calls end.
 *
 * A result never comes after the run's end: RUN_FINISHED, and what follows it, is held until running tools
 * are done; RUN_ERROR aborts them and passes. The source's completion waits as RUN_FINISHED does, its error
 * passes at once.
 *
 * A call runs once, however often it is replayed or reopened. Calls of other tools, calls that the provider
 * runs (metadata `agrx.providerExecuted`) and calls that are answered in the stream, or in the context's
 * input, pass untouched. A call that needs approval raises an interrupt and stays unanswered; see
 * {@link resumeTools}.
 *
 * Reads explicit START, ARGS, END; chunk events pass unread, so `expandChunks()` comes first. Unsubscribing
 * aborts the signal of every running tool, synchronously.
 *
 * ```text
 * source  s--a--e---F|         s: START, a: ARGS, e: END, F: RUN_FINISHED
 * tool          -----(x|)
 * result  s--a--e----(rF|)     r: RESULT
 * ```
 *
 * @param tools - the agent's tools; calls of others are left to the client
 * @param options - see {@link ExecuteToolsOptions}
 * @throws ToolUsageError `duplicate-tool`, and `no-context` when a tool needs approval and no context is given
 *
 * @example
 * ```ts
 * import { events, executeTools, tool } from "@agrx/core";
 * import { of } from "rxjs";
 * import { z } from "zod";
 *
 * const add = tool({
 *   name: "add",
 *   description: "Adds two numbers.",
 *   parameters: z.object({ a: z.number(), b: z.number() }),
 *   execute: ({ a, b }) => a + b,
 * });
 * of(
 *   events.toolCallStart({ toolCallId: "c1", toolCallName: "add" }),
 *   events.toolCallArgs({ toolCallId: "c1", delta: '{"a":1,"b":2}' }),
 *   events.toolCallEnd({ toolCallId: "c1" }),
 * )
 *   .pipe(executeTools([add]))
 *   .subscribe((event) => {
 *     if (event.type === "TOOL_CALL_RESULT") console.log(event.messageId, event.content); // c1-result 3
 *   });
 * ```
 */
export function executeTools(
  tools: readonly ExecutableTool[],
  options: ExecuteToolsOptions = {},
): MonoTypeOperatorFunction<AGUIEvent> {
  const registry = toolRegistry(tools, options.context !== undefined);
  return (source) =>
    new Observable((subscriber) => {
      const stage = createStage(registry, options, {
        next: (event) => subscriber.next(event),
        error: (error: unknown) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
      const closed = new Subject<void>();
      subscriber.add(() => {
        stage.close();
        closed.next();
      });
      // By hand, since what goes out also waits for work; `closed` stops a synchronous source too.
      source.pipe(takeUntil(closed)).subscribe({
        next: (event) => stage.push(event),
        error: (error: unknown) => subscriber.error(error),
        complete: () => stage.end(),
      });
    });
}

interface Stage {
  push(event: AGUIEvent): void;
  end(): void;
  /** Nobody listens any more: aborts all that runs. */
  close(): void;
}

interface Output {
  next(event: AGUIEvent): void;
  error(error: unknown): void;
  complete(): void;
}

/** Passes events on, answers the calls among them, and keeps a run's end behind its results. */
function createStage(registry: ToolRegistry, options: ExecuteToolsOptions, output: Output): Stage {
  const { context } = options;
  const calls = createToolCallCollector(registry, context?.input.messages);
  let input: RunAgentInput | undefined = context?.input;
  /** A RUN_FINISHED that waits for tools, and what came after it. */
  const held: AGUIEvent[] = [];
  let ended = false;

  const jobs = createToolJobs<AGUIEvent>(
    { next: output.next, error: fail, idle: release },
    options.concurrency,
  );

  function fail(error: unknown): void {
    jobs.clear();
    if (!isToolError(error)) return output.error(error);
    output.next(events.runError({ message: error.message, code: error.code }));
    output.complete();
  }

  function release(): void {
    while (held.length > 0 && !(held[0]!.type === EventType.RUN_FINISHED && jobs.busy)) pass(held.shift()!);
    if (ended && held.length === 0 && !jobs.busy) output.complete();
  }

  function pass(event: AGUIEvent): void {
    if (event.type === EventType.RUN_STARTED) input = context?.input ?? event.input ?? input;
    if (event.type === EventType.RUN_ERROR) jobs.clear();
    const call = calls.follow(event);
    // Noted before END goes out: what its receiver does at once must not overtake the result.
    if (call) jobs.note(call.id);
    output.next(event);
    if (call) {
      try {
        answer(call);
      } catch (error) {
        fail(error);
      }
    }
    if (event.type === EventType.TOOL_CALL_RESULT) jobs.drop(event.toolCallId);
  }

  function answer(ended: EndedCall): void {
    const { id, tool } = ended;
    const call = { ...ended, resultMessageId: context?.nextMessageId() ?? resultMessageIdOf(id) };
    const work = answerToolCall(tool, call, {
      ...options,
      input,
      emit: output.next,
      permit: (args) => permitOrAsk(call, args, context),
    });
    jobs.start(id, work.pipe(map((given) => answerEvent(call, given))));
  }

  return {
    push(event) {
      if (event.type === EventType.RUN_ERROR) {
        // What waited for tools waits no more: first what was held, in order, then the error.
        while (held.length > 0) {
          jobs.clear();
          pass(held.shift()!);
        }
      }
      if (held.length > 0 || (event.type === EventType.RUN_FINISHED && jobs.busy)) held.push(event);
      else pass(event);
    },
    end() {
      ended = true;
      release();
    },
    close() {
      held.length = 0;
      jobs.clear();
    },
  };
}
