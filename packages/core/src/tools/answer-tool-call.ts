import {
  catchError,
  concatMap,
  defer,
  EMPTY,
  finalize,
  map,
  of,
  retry as retried,
  takeUntil,
  tap,
  throwError,
  timer,
  type Observable,
  type RetryConfig,
} from "rxjs";
import { lifecycle, type LifecycleRow } from "../protocol/lifecycle.js";
import {
  EventType,
  type AGUIEvent,
  type ContentPart,
  type EventOf,
  type RunAgentInput,
} from "../protocol/vocabulary.js";
import { lastValue } from "../stream/last-value.js";
import type { ExecutableTool, RunningToolCall } from "./tool.js";
import { isToolError, reasonOf, TOOL_ERROR_METADATA, ToolError, type ToolErrorCode } from "./tool-error.js";
import { resultContent, toolResultEvent, type AnsweredCall } from "./tool-result.js";
import { ToolUsageError } from "./tool-usage-error.js";
import { readToolArguments } from "./read-tool-arguments.js";

/** How tools are run, wherever they run. */
export interface ToolRunOptions {
  /** How many calls run at once; further ones wait their turn in order. Default: no limit. */
  readonly concurrency?: number | undefined;
  /** Milliseconds that one attempt may take. Default: no limit. */
  readonly timeout?: number | undefined;
  /**
   * How often a failed attempt is made again, or rxjs' `RetryConfig`; a timeout is a failure, bad arguments
   * are not tried again. Each attempt has a signal of its own. Default 0.
   */
  readonly retry?: number | RetryConfig | undefined;
  /**
   * What becomes of bad arguments and of a tool that fails: "result" tells the model, so that it can mend
   * it, "fail" makes it the end of the run. Default "result".
   */
  readonly onError?: "result" | "fail" | undefined;
}

/** An ended call of a tool that is here. */
export interface CallToAnswer {
  readonly id: string;
  /** The arguments' text, exactly as sent. */
  readonly text: string;
  readonly resultMessageId: string;
}

/** What a call is answered with. */
export interface ToolAnswer {
  readonly content: string | ContentPart[];
  /** Set when the content tells of a failure. */
  readonly failure?: ToolErrorCode;
}

/** Whether a call may run, has to wait for someone's answer, or was declined, with the reason given. */
export type Permission = "run" | "wait" | { readonly declined: string | undefined };

/** Where and how one call is answered. */
export interface AnswerOptions extends ToolRunOptions {
  readonly input: RunAgentInput | undefined;
  readonly emit: (event: AGUIEvent) => void;
  /** Asked with the validated arguments. Default: every call may run. */
  readonly permit?: (args: unknown) => Observable<Permission>;
}

/**
 * Validates a call's arguments, runs its tool and gives the one answer; none when it has to wait.
 *
 * Cold and, where schema and tool are, synchronous. Errors only with `onError: "fail"`, with a
 * {@link ToolError}. Unsubscribing aborts the tool's signal.
 */
export function answerToolCall(
  tool: ExecutableTool,
  call: CallToAnswer,
  options: AnswerOptions,
): Observable<ToolAnswer> {
  const { permit = () => of("run" as const), onError = "result" } = options;
  const fail = (error: unknown): ToolError =>
    isToolError(error)
      ? error
      : new ToolError("tool-failed", `${tool.name} failed: ${reasonOf(error)}`, {
          toolCallId: call.id,
          cause: error,
        });

  return readToolArguments(tool, call.id, call.text).pipe(
    concatMap((args) =>
      permit(args).pipe(
        concatMap((permission): Observable<ToolAnswer> => {
          if (permission === "wait") return EMPTY;
          if (permission !== "run") return of(declined(tool, permission.declined));
          return attempts(tool, call, args, options).pipe(
            map((value) => ({ content: resultContent(value) })),
          );
        }),
      ),
    ),
    catchError((error: unknown) => {
      const failure = fail(error);
      if (onError === "fail") return throwError(() => failure);
      return of({ content: failure.message, failure: failure.code });
    }),
  );
}

function declined(tool: ExecutableTool, reason: string | undefined): ToolAnswer {
  const why = reason === undefined ? "" : ` The reason given: ${reasonOf(reason)}`;
  return {
    content: `The call of ${tool.name} was declined and did not run.${why}`,
    failure: "tool-declined",
  };
}

function attempts(
  tool: ExecutableTool,
  call: CallToAnswer,
  args: unknown,
  options: AnswerOptions,
): Observable<unknown> {
  const { timeout, retry = 0 } = options;
  const attempt = defer(() => {
    const cut = new AbortController();
    let over = false;
    const running: RunningToolCall = {
      id: call.id,
      name: tool.name,
      args,
      resultMessageId: call.resultMessageId,
      emit(event) {
        refuseRunEvents(tool, call, event);
        if (!over) options.emit(event);
      },
    };
    const settle = () => {
      over = true;
    };
    return lastValue(tool.execute(args, { signal: cut.signal, call: running, input: options.input })).pipe(
      tap({ complete: settle, error: settle }),
      finalize(() => {
        if (over) return;
        over = true;
        cut.abort();
      }),
    );
  });
  const inTime = timeout === undefined ? attempt : attempt.pipe(takeUntil(tooLong(tool, call, timeout)));
  return inTime.pipe(retried(typeof retry === "number" ? { count: retry } : retry));
}

const tooLong = (tool: ExecutableTool, call: CallToAnswer, timeout: number): Observable<never> =>
  timer(timeout).pipe(
    map(() => {
      throw new ToolError("tool-timeout", `${tool.name} failed: it took longer than ${timeout} ms.`, {
        toolCallId: call.id,
      });
    }),
  );

function refuseRunEvents(tool: ExecutableTool, call: CallToAnswer, event: AGUIEvent): void {
  const own = event.type === EventType.TOOL_CALL_RESULT && event.toolCallId === call.id;
  const row: LifecycleRow | undefined = lifecycle[event.type];
  if (!own && row?.kind !== "run") return;
  throw new ToolUsageError(
    "not-a-tools-event",
    `Tool "${tool.name}" emitted ${event.type}. ${own ? "Return the result" : "Return or throw"} instead.`,
  );
}

/** The event that tells a call's answer; a failure is marked in its metadata. */
export function answerEvent(
  call: AnsweredCall,
  { content, failure }: ToolAnswer,
): EventOf<"TOOL_CALL_RESULT"> {
  return toolResultEvent(call, content, failure && { [TOOL_ERROR_METADATA]: failure });
}
