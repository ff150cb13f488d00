import { of } from "rxjs";
import { events } from "../protocol/events.js";
import type { Message, RunAgentInput } from "../protocol/vocabulary.js";
import type { RunFailure, RunView } from "../views/run-view.js";
import { scanRun } from "../views/scan-run.js";

/** A run view that also says whether the conversation is at work. */
export interface ConversationView<State = unknown> extends RunView<State> {
  /** True from a message or an answer on until nothing is left to do, also between two runs. */
  readonly busy: boolean;
}

type OpeningInput = Pick<RunAgentInput, "threadId" | "runId" | "messages" | "state">;

/** The view of a run that was asked for and has not answered yet. */
export function openingView<State>(input: OpeningInput): ConversationView<State> {
  const { threadId, runId, messages } = input;
  let view: RunView<State> | undefined;
  of(events.runStarted({ threadId, runId }))
    .pipe(scanRun<State>({ messages, state: input.state as State }))
    // eslint-disable-next-line rxjs-x/no-ignored-error -- one event of our own: there is nothing to fail
    .subscribe((first) => (view = first));
  return { ...view!, busy: true };
}

/** The view with more messages, and what they say of its calls. */
export function withMessages<State>(
  view: ConversationView<State>,
  more: readonly Message[],
): ConversationView<State> {
  const messages = [...view.messages, ...more];
  return { ...view, messages, toolCalls: openingView({ threadId: "", runId: "", messages }).toolCalls };
}

/** The view of a run that failed in the client's eyes. */
export function failedView<State>(view: ConversationView<State>, error: RunFailure): ConversationView<State> {
  return { ...view, status: "failed", error, busy: false };
}
