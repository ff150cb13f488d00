import {
  executeTools,
  resumeTools,
  run,
  scanMessages,
  toProtocolTool,
  type AGUIEvent,
  type ExecuteToolsOptions,
  type InterruptRequest,
  type ExecutableTool,
  type Message,
  type RunAgentInput,
  type RunContext,
  type RunOptions,
  type RunScope,
  type TokenUsage,
} from "@agrx/core";
import { verify } from "@agrx/verify";
import {
  concat,
  defer,
  EMPTY,
  from,
  last,
  mergeMap,
  tap,
  type MonoTypeOperatorFunction,
  type Observable,
} from "rxjs";
import type { Model } from "../models/model.js";
import { toEvents, type ToEventsOptions } from "../to-events.js";
import { MaxTurnsError } from "./max-turns-error.js";
import { retryBeforeFirst, type RetryOptions } from "./retry-before-first.js";
import { createTurn, type Turn } from "./turn.js";

/** What an agent is made of. */
export interface AgentOptions {
  /** The model that is asked: `openai(client, params)`, `anthropicMessages(...)`, or any from `modelFrom`. */
  readonly model: Model;
  /** The agent's own tools; the client's come with the input. Default none. */
  readonly tools?: readonly ExecutableTool[];
  /** How often the model is asked in one run, before it ends with RUN_ERROR `max-turns`. Default 10. */
  readonly maxTurns?: number;
  /** The agent's words to the model, before every system message of the input. Default none. */
  readonly instructions?: string | ((input: RunAgentInput) => string);
  /** Tries after a failure before the first delta of a turn; `false` for none. Default two. */
  readonly retry?: RetryOptions | false;
  /** Told the usage of each turn as it ends; the run's terminal event carries the sum. */
  readonly onUsage?: (usage: TokenUsage) => void;
  /** Sees every event of the run. Default `verify` of the producer's profile. */
  readonly guard?: MonoTypeOperatorFunction<AGUIEvent>;
  /** How the agent's tools run: limit, timeout, retry, errors. */
  readonly execution?: Omit<ExecuteToolsOptions, "context">;
  /** How parallel calls are sent. Default "ordered". */
  readonly toolCalls?: ToEventsOptions["toolCalls"];
}

/**
 * Makes an agent: a function from an input to a whole run.
 *
 * A run asks the model, streams its answer, runs the agent's own tools, and asks again with their results,
 * until the model calls none of them. Calls of the client's tools are left open, and the run ends there: the
 * client answers them in the next run's messages. A tool that needs approval ends the run with an
 * interrupt; the next run resumes it.
 *
 * Cold: every subscription is its own run. Unsubscribing aborts the model's request and the running tools at
 * once. The run never errors: what fails ends it with RUN_ERROR.
 *
 * @example
 * ```ts
 * import { agent } from "@agrx/llm-adapter";
 * import { fakeModel } from "@agrx/llm-adapter/testing";
 *
 * const greeter = agent({ model: fakeModel(["Hello!"]) });
 * const input = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };
 * greeter(input).subscribe({ complete: () => console.log("done") }); // done
 * ```
 */
export function agent(
  options: AgentOptions,
): (input: RunAgentInput, runOptions?: RunOptions) => Observable<AGUIEvent> {
  return (input, runOptions) =>
    run(input, (ctx) => conversation(ctx, options), {
      guard: options.guard ?? verify({ profile: "producer", input }),
      ...runOptions,
    });
}

/** Resumes what waits for approval, then asks turn after turn. */
function conversation(ctx: RunContext, options: AgentOptions): Observable<AGUIEvent> {
  const { tools = [], execution, maxTurns = 10, onUsage } = options;

  const turns = (messages: readonly Message[], number: number): Observable<AGUIEvent> =>
    defer(() => {
      if (number > maxTurns) throw new MaxTurnsError(maxTurns);
      const turn = createTurn();
      const events$ = ask(ctx, options, messages, turn).pipe(
        executeTools(tools, { ...execution, context: ctx }),
        tap((event) => turn.event(event)),
      );
      return thenMessages(events$, messages, (next) => {
        if (turn.usage) onUsage?.(turn.usage);
        return turn.goesOn ? turns(next, number + 1) : EMPTY;
      });
    });

  return defer(() => {
    let asks = false;
    const scope = Object.create(ctx, {
      interrupt: {
        value: (request: InterruptRequest) => {
          asks = true;
          return ctx.interrupt(request);
        },
      },
    }) as RunScope;
    const resumed$ = resumeTools(tools, { ...execution, context: scope });
    return thenMessages(resumed$, ctx.messages, (next) => (asks ? EMPTY : turns(next, 1)));
  });
}

/** One answer of the model, as events. */
function ask(
  ctx: RunContext,
  options: AgentOptions,
  messages: readonly Message[],
  turn: Turn,
): Observable<AGUIEvent> {
  const { model, tools = [], instructions, retry, toolCalls } = options;
  const words = typeof instructions === "function" ? instructions(ctx.input) : instructions;
  const answer = model({
    messages,
    tools: [...tools.map(toProtocolTool), ...ctx.tools],
    context: ctx.input.context,
    ...(words === undefined ? {} : { instructions: words }),
  });
  return (retry === false ? answer : answer.pipe(retryBeforeFirst(retry))).pipe(
    tap((delta) => turn.delta(delta)),
    toEvents({ context: ctx, ...(toolCalls === undefined ? {} : { toolCalls }) }),
  );
}

/** Passes events on, then goes on with the messages that they make of the given ones. */
function thenMessages(
  source: Observable<AGUIEvent>,
  messages: readonly Message[],
  next: (messages: readonly Message[]) => Observable<AGUIEvent>,
): Observable<AGUIEvent> {
  return defer(() => {
    const seen: AGUIEvent[] = [];
    return concat(
      source.pipe(tap((event) => seen.push(event))),
      defer(() => from(seen).pipe(scanMessages(messages), last(null, messages), mergeMap(next))),
    );
  });
}
