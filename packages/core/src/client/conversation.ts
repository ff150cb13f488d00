import {
  BehaviorSubject,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  merge,
  of,
  queueScheduler,
  share,
  Subject,
  switchMap,
  tap,
  type Observable,
} from "rxjs";
import { presentFields } from "../protocol/present-fields.js";
import type {
  ContentPart,
  Context,
  Message,
  ResumeEntry,
  RunAgentInput,
  UserMessage,
} from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import type { AnswerClientToolsOptions } from "../tools/answer-client-tools.js";
import { ResumeError } from "../tools/resume-error.js";
import { toolRegistry } from "../tools/tool-registry.js";
import { toProtocolTool, type ExecutableTool } from "../tools/tool.js";
import type { Connection } from "./connect.js";
import { openingView, type ConversationView } from "./conversation-view.js";
import { playRounds } from "./play-rounds.js";
import { randomId } from "./random-id.js";
import { resumeInput } from "./resume-input.js";
import { withOpenCallsAnswered } from "./with-open-calls-answered.js";

/** What a thread starts from. */
export interface ConversationStart<State = unknown> {
  /** Default one of `newId`. */
  readonly threadId?: string;
  /** The thread so far. Default none. */
  readonly messages?: readonly Message[];
  /** Default `{}`. */
  readonly state?: State;
}

/** How a {@link conversation} goes; {@link AnswerClientToolsOptions} says how its tools run. */
export interface ConversationOptions<State = unknown>
  extends ConversationStart<State>, AnswerClientToolsOptions, WarningOptions {
  /** The client's tools, offered with each run. Default none. */
  readonly tools?: readonly ExecutableTool[];
  /** What the agent should know; a function is asked for each run. Default none. */
  readonly context?: readonly Context[] | (() => readonly Context[]);
  /** Passed on to the agent as it is, with each run. Default none. */
  readonly forwardedProps?: unknown;
  /** Most runs in a row for one message or answer, so that agent and tools cannot go on for ever. Default 10. */
  readonly maxRounds?: number;
  /** Gives the ids of threads, runs and messages. Default 32 random hexadecimal digits. */
  readonly newId?: () => string;
}

/** A thread with an agent, as a chat page shows it. */
export interface Conversation<State = unknown> {
  /**
   * The view: at once, and whenever it changes. Never errors and never completes; what fails is in the view.
   * All subscribers share the work, which is aborted when the last of them leaves.
   */
  readonly view$: Observable<ConversationView<State>>;
  /** The view as it stands. */
  readonly view: ConversationView<State>;
  /**
   * Adds a message to the thread and asks the agent. What is at work is stopped first. While nobody is subscribed
   * to `view$`, the agent is asked when the first one comes.
   *
   * @throws ResumeError `unanswered-interrupt` when the run waits for answers: `resume` or `reset` it
   */
  send(message: string | readonly ContentPart[] | UserMessage): void;
  /** Aborts the run or the tools at work. What came stays, and the status is "cancelled". */
  stop(): void;
  /**
   * Answers the interrupts of the latest run and goes on.
   *
   * @throws ResumeError when an answer is missing, stale, double or too late; then nothing is sent
   */
  resume(answers: readonly ResumeEntry[]): void;
  /** Stops what is at work and begins another thread. */
  reset(start?: ConversationStart<State>): void;
}

/**
 * Keeps a thread with an agent: collects messages and state over its runs, runs the client's tools when a run has
 * left their calls open, sends the answers on, and so forth until nothing is left to do.
 *
 * ```text
 * send      ----m------------------
 * runs          S-c-F|  S-t-F|
 * tools              -a|
 * view$     v---v-v-v---v-v-(vv)---     v: the first at once; busy from m to the last
 * ```
 *
 * A call of a tool that is not among `tools` is answered with an error, or by `onUnknownToolCall`: with an open
 * call the thread could not go on. Calls that a stopped or failed run left open are answered with the next
 * message. When a run waits for answers, with the status "interrupted", so does the conversation.
 *
 * The events of each run pass `expandChunks` and `scanRun`. More goes into the connection:
 * `conversation((input) => agent(input).pipe(verify({ input })))`.
 *
 * @experimental
 * @param connection - gives a run for an input: `connect({ url })`, or any agent in the same process
 * @param options - `tools`, `onUnknownToolCall`, `maxRounds` (default 10) and more
 * @throws ToolUsageError `duplicate-tool`; `no-context` for a tool with `needsApproval`
 *
 * @example
 * ```ts
 * import { conversation, run } from "@agrx/core";
 *
 * const echo = conversation((input) => run(input, (ctx) => ctx.text(`You said ${ctx.lastUserText}.`)));
 * echo.view$.subscribe();
 * echo.send("hello");
 * console.log(echo.view.status, echo.view.messages.at(-1)?.content); // finished You said hello.
 * ```
 */
export function conversation<State = unknown>(
  connection: Connection,
  options: ConversationOptions<State> = {},
): Conversation<State> {
  type View = ConversationView<State>;
  const { tools = [], context = [], forwardedProps, maxRounds = 10, newId = randomId } = options;
  const offered = tools.map(toProtocolTool);
  const play = playRounds<State>(connection, { ...options, tools, maxRounds, next: nextInput });

  let current = openThread(options);
  const views = new BehaviorSubject(current);
  const work = new Subject<Observable<View>>();
  let waiting: Observable<View> = EMPTY;

  // Tells here and now of tools that cannot be a client's.
  toolRegistry(tools, false);

  const working$ = defer(() => {
    const first = waiting;
    waiting = EMPTY;
    return merge(work, of(first));
  }).pipe(
    switchMap((views$) => views$),
    tap(show),
    finalize(cancel),
    share(),
  );

  return {
    view$: merge(views, working$.pipe(ignoreElements())),
    get view() {
      return current;
    },
    send(message) {
      const { status, interrupts, messages } = current;
      if (status === "interrupted") {
        throw new ResumeError(
          "unanswered-interrupt",
          interrupts[0]?.id,
          "waits for an answer. Call resume() or reset().",
        );
      }
      const sent = [...withOpenCallsAnswered(messages), toMessage(message, newId)];
      begin(nextInput({ ...current, messages: sent }));
    },
    stop() {
      replaceWork(EMPTY);
      cancel();
    },
    resume(answers) {
      const input = nextInput(current);
      const { resume = [] } = resumeInput(current, answers, input);
      begin({ ...input, resume });
    },
    reset(start = {}) {
      replaceWork(EMPTY);
      show(openThread(start));
    },
  };

  function begin(input: RunAgentInput): void {
    if (!work.observed) show(openingView(input));
    replaceWork(play(input));
  }

  function replaceWork(views$: Observable<View>): void {
    if (work.observed) work.next(views$);
    else waiting = views$;
  }

  /** In turn: a subscriber that sends or stops while it is shown a view must not have others see that one last. */
  function show(view: View): void {
    current = view;
    queueScheduler.schedule(() => views.next(view));
  }

  function cancel(): void {
    if (current.busy) show({ ...current, status: "cancelled", busy: false });
  }

  function openThread({
    threadId = newId(),
    messages = [],
    state = {} as State,
  }: ConversationStart<State>): View {
    const view = openingView<State>({ threadId, runId: "", messages: [...messages], state });
    return { ...view, runId: undefined, status: "idle", busy: false };
  }

  function nextInput({ threadId, messages, state }: View): RunAgentInput {
    return {
      threadId: threadId!,
      runId: newId(),
      state,
      messages: [...messages],
      tools: offered,
      context: [...(typeof context === "function" ? context() : context)],
      ...presentFields({ forwardedProps }),
    };
  }
}

function toMessage(given: string | readonly ContentPart[] | UserMessage, newId: () => string): UserMessage {
  if (typeof given === "string") return { id: newId(), role: "user", content: given };
  return isParts(given) ? { id: newId(), role: "user", content: [...given] } : given;
}

const isParts = (given: readonly ContentPart[] | UserMessage): given is readonly ContentPart[] =>
  Array.isArray(given);
