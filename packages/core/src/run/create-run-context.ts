import { contentToText } from "@ag-ui/core";
import type { AGUIEvent, RunAgentInput } from "../protocol/vocabulary.js";
import type { StatePublisher } from "../state/state-publisher.js";
import { activityBuilder } from "./activity-builder.js";
import { customBuilder, messageBuilder, stepBuilder } from "./event-builders.js";
import { openMessage, openStep } from "./message-handle.js";
import type { RunContext } from "./run-context.js";
import type { RunSession } from "./run-session.js";
import { streamedReasoning, streamedText } from "./streamed.js";
import { subagentBuilder } from "./subagent-builder.js";
import { toolCallBuilder, type CheckedToolCallSpec } from "./tool-call-builder.js";
import { openToolCall } from "./tool-call-handle.js";

/** Puts together what a run's project works with. */
export function createRunContext<State>(
  input: RunAgentInput,
  run: RunSession,
  publisher: StatePublisher<State>,
): RunContext<State> {
  // A run may be given JSON whose lists are absent: that means empty.
  const messages = input.messages ?? [];
  const tools = input.tools ?? [];

  function publish(change: () => AGUIEvent | undefined): void {
    if (!run.isListening()) return;
    const event = change();
    if (event) run.emit(event);
  }

  return {
    input,
    threadId: input.threadId,
    runId: input.runId,
    signal: run.signal,
    messages,
    tools,
    get lastUserText() {
      const last = messages.filter(({ role }) => role === "user").at(-1);
      return last?.role === "user" ? contentToText(last.content) : undefined;
    },
    tool: (name) => tools.find((tool) => tool.name === name),
    nextMessageId: run.ids.nextMessageId,
    nextToolCallId: run.ids.nextToolCallId,
    claimToolCallId: run.ids.claimToolCallId,
    addUsage: run.notes.addUsage,
    interrupt: run.notes.interrupt,
    resumeFor: run.resume.resumeFor,
    end: run.notes.note,

    get state() {
      return publisher.state;
    },
    updateState: (recipe) => publish(() => publisher.update(recipe)),
    setState: (next) => publish(() => publisher.set(next)),

    text: (content, options) => messageBuilder(run, streamedText, content, options),
    reasoning: (content, options) => messageBuilder(run, streamedReasoning, content, options),
    toolCall: (name: string, spec?: unknown) =>
      toolCallBuilder(run, publisher, name, spec as CheckedToolCallSpec<State> | undefined),
    step: (name, events, options) => stepBuilder(run, name, events, options),
    activity: (activityType, content, options) => activityBuilder(run, activityType, content, options),
    subagent: (name, events, options) => subagentBuilder(run, name, events, options),
    custom: customBuilder,

    openToolCall: (name, options) => openToolCall(run, publisher, name, options),
    openMessage: (options) => openMessage(run, streamedText, options),
    openReasoning: (options) => openMessage(run, streamedReasoning, options),
    openStep: (name, options) => openStep(run, name, options),
    emit: run.emit,
  };
}
