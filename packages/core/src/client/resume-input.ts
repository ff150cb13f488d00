import { presentFields } from "../protocol/present-fields.js";
import type {
  Context,
  Interrupt,
  Message,
  ResumeEntry,
  RunAgentInput,
  Tool,
} from "../protocol/vocabulary.js";
import { ResumeError } from "../tools/resume-error.js";
import type { RunView } from "../views/run-view.js";
import { randomId } from "./random-id.js";

/** Settings of {@link resumeInput}. */
export interface ResumeInputOptions {
  /** Id of the resuming run; never one that the thread has had. Default 32 random hexadecimal digits. */
  readonly runId?: string | undefined;
  /** The tools that the client offers. Default none. */
  readonly tools?: readonly Tool[] | undefined;
  /** What the agent should know. Default none. */
  readonly context?: readonly Context[] | undefined;
  /** Passed on to the agent as it is. Default none. */
  readonly forwardedProps?: unknown;
  /** Messages to add behind the view's, such as what `answerClientTools` gave. Default none. */
  readonly messages?: readonly Message[] | undefined;
  /** The time at which interrupts have expired or not, in milliseconds since 1970. Default now. */
  readonly now?: number | undefined;
}

/** What {@link resumeInput} reads of a view. */
export type InterruptedRun = Pick<RunView, "threadId" | "status" | "messages" | "state" | "interrupts">;

/**
 * The input that resumes an interrupted run: same thread, messages and state, and an answer to each of its
 * interrupts.
 *
 * Checks the answers before anything is sent. Activity messages are left out, as the protocol wants it.
 *
 * @param view - a view of the interrupted run, as `scanRun` gives it
 * @param answers - one entry for each open interrupt; an interrupt that has expired can only be cancelled
 * @param options - see {@link ResumeInputOptions}
 * @throws ResumeError `not-interrupted`, `unanswered-interrupt`, `unknown-interrupt`, `double-answer`,
 * `expired-interrupt`, `invalid-answer`
 *
 * @example
 * ```ts
 * import { approvalInterruptId, resumeInput } from "@agrx/core";
 *
 * const view = {
 *   threadId: "t",
 *   status: "interrupted" as const,
 *   messages: [],
 *   state: {},
 *   interrupts: [{ id: approvalInterruptId("call-1"), reason: "tool_call", toolCallId: "call-1" }],
 * };
 * const answer = { interruptId: "approve-call-1", status: "resolved" as const, payload: { approved: true } };
 * const input = resumeInput(view, [answer], { runId: "r2" });
 * console.log(input.threadId, input.runId, input.resume?.length); // t r2 1
 * ```
 */
export function resumeInput(
  view: InterruptedRun,
  answers: readonly ResumeEntry[],
  options: ResumeInputOptions = {},
): RunAgentInput {
  const { status, threadId, interrupts } = view;
  if (status !== "interrupted" || threadId === undefined || interrupts.length === 0) {
    throw new ResumeError(
      "not-interrupted",
      undefined,
      `The run is "${status}", not "interrupted": it waits for no answer.`,
    );
  }
  checkAnswers(interrupts, answers, options.now ?? Date.now());
  const { runId = randomId(), tools = [], context = [], messages = [], forwardedProps } = options;
  return {
    threadId,
    runId,
    state: view.state,
    messages: [...view.messages, ...messages].filter(({ role }) => role !== "activity"),
    tools: [...tools],
    context: [...context],
    ...presentFields({ forwardedProps }),
    resume: [...answers],
  };
}

function checkAnswers(interrupts: readonly Interrupt[], answers: readonly ResumeEntry[], now: number): void {
  const open = new Map(interrupts.map((interrupt) => [interrupt.id, interrupt]));
  const answered = new Set<string>();
  for (const { interruptId, status, payload } of answers) {
    const fail = (code: ResumeError["code"], what: string): never => {
      throw new ResumeError(code, interruptId, what);
    };
    const interrupt = open.get(interruptId);
    if (!interrupt)
      return fail("unknown-interrupt", "is not open. Answer the interrupts of the latest run only.");
    if (answered.has(interruptId))
      fail("double-answer", "is answered twice. Send one answer to each interrupt.");
    answered.add(interruptId);
    if (status !== "resolved" && status !== "cancelled") {
      fail("invalid-answer", 'takes the status "resolved" or "cancelled".');
    }
    if (payload === null) fail("invalid-answer", "takes no null. Leave the payload out.");
    if (status === "resolved" && hasExpired(interrupt, now)) {
      fail("expired-interrupt", "has expired. Cancel it.");
    }
  }
  for (const { id } of interrupts) {
    if (!answered.has(id)) {
      throw new ResumeError("unanswered-interrupt", id, "has no answer. Answer or cancel every interrupt.");
    }
  }
}

/** A time that cannot be read is none: `expiresAt` is ISO 8601 by convention only. */
const hasExpired = ({ expiresAt }: Interrupt, now: number): boolean =>
  expiresAt !== undefined && Date.parse(expiresAt) <= now;
