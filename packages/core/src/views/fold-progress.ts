import type { EventOf, RunFinishedOutcome } from "../protocol/vocabulary.js";
import { Fold, type EventMethods } from "./fold.js";
import { keepEqual } from "./keep-equal.js";
import { pick } from "./pick.js";
import type { RunStatus, RunView, StepView } from "./run-view.js";

const statuses: Record<RunFinishedOutcome["type"], RunStatus> = {
  success: "finished",
  interrupt: "interrupted",
  cancelled: "cancelled",
};

// All members of a view, so that what is spread later only replaces: to add costs V8 a hundred times more.
const idle: RunView = {
  threadId: undefined,
  runId: undefined,
  status: "idle",
  messages: [],
  state: undefined,
  toolCalls: [],
  pendingToolCallIds: [],
  steps: [],
  interrupts: [],
  outcome: undefined,
  result: undefined,
  usage: [],
  error: undefined,
  warnings: [],
};

/** Where the latest run of a stream stands: a view without messages, state, calls and warnings. */
export class ProgressFold extends Fold<RunView> implements EventMethods {
  value = idle;

  #set(changes: Partial<RunView>): void {
    this.value = keepEqual(this.value, { ...this.value, ...changes });
  }

  RUN_STARTED(event: EventOf<"RUN_STARTED">): void {
    this.#set({ ...idle, ...pick(event, "threadId", "runId"), status: "running" });
  }

  RUN_FINISHED(event: EventOf<"RUN_FINISHED">): void {
    const { outcome = { type: "success" } } = event;
    this.#set({ ...pick(event, "result", "usage"), outcome, status: statuses[outcome.type] ?? "finished" });
    if (outcome.type === "interrupt") this.#set(pick(outcome, "interrupts"));
    else if (outcome.type === "success" && outcome.pendingToolCallIds?.length) {
      this.#set(pick(outcome, "pendingToolCallIds"));
    }
  }

  RUN_ERROR(event: EventOf<"RUN_ERROR">): void {
    const { interrupts, outcome, result } = idle;
    const error = pick(event, "message", "code");
    this.#set({ interrupts, outcome, result, ...pick(event, "usage"), status: "failed", error });
  }

  TOOL_CALL_START({ toolCallId }: EventOf<"TOOL_CALL_START">): void {
    const { pendingToolCallIds } = this.value;
    if (!pendingToolCallIds.includes(toolCallId)) {
      this.#set({ pendingToolCallIds: [...pendingToolCallIds, toolCallId] });
    }
  }

  TOOL_CALL_RESULT({ toolCallId }: EventOf<"TOOL_CALL_RESULT">): void {
    this.#set({ pendingToolCallIds: this.value.pendingToolCallIds.filter((id) => id !== toolCallId) });
  }

  STEP_STARTED(event: EventOf<"STEP_STARTED">): void {
    const step: StepView = { name: event.stepName, ...pick(event, "subagentRunId"), status: "running" };
    this.#set({ steps: [...this.value.steps, step] });
  }

  STEP_FINISHED(event: EventOf<"STEP_FINISHED">): void {
    const isIt = (step: StepView) =>
      step.status === "running" && step.name === event.stepName && step.subagentRunId === event.subagentRunId;
    this.#set({
      steps: this.value.steps.map((step) => (isIt(step) ? { ...step, status: "finished" } : step)),
    });
  }
}
