import type { RunFinishedOutcome } from "../protocol/vocabulary.js";
import { byType, type Fold } from "./fold.js";
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
export function foldProgress(): Fold<RunView> {
  let progress = idle;

  function set(changes: Partial<RunView>): void {
    progress = keepEqual(progress, { ...progress, ...changes });
  }

  return {
    get value() {
      return progress;
    },
    apply: byType({
      RUN_STARTED(event) {
        set({ ...idle, ...pick(event, "threadId", "runId"), status: "running" });
      },
      RUN_FINISHED(event) {
        const { outcome = { type: "success" } } = event;
        set({ ...pick(event, "result", "usage"), outcome, status: statuses[outcome.type] ?? "finished" });
        if (outcome.type === "interrupt") set(pick(outcome, "interrupts"));
        else if (outcome.type === "success" && outcome.pendingToolCallIds?.length) {
          set(pick(outcome, "pendingToolCallIds"));
        }
      },
      RUN_ERROR(event) {
        const { interrupts, outcome, result } = idle;
        const error = pick(event, "message", "code");
        set({ interrupts, outcome, result, ...pick(event, "usage"), status: "failed", error });
      },
      TOOL_CALL_START({ toolCallId }) {
        const { pendingToolCallIds } = progress;
        if (!pendingToolCallIds.includes(toolCallId)) {
          set({ pendingToolCallIds: [...pendingToolCallIds, toolCallId] });
        }
      },
      TOOL_CALL_RESULT({ toolCallId }) {
        set({ pendingToolCallIds: progress.pendingToolCallIds.filter((id) => id !== toolCallId) });
      },
      STEP_STARTED(event) {
        const step: StepView = { name: event.stepName, ...pick(event, "subagentRunId"), status: "running" };
        set({ steps: [...progress.steps, step] });
      },
      STEP_FINISHED(event) {
        const isIt = (step: StepView) =>
          step.status === "running" &&
          step.name === event.stepName &&
          step.subagentRunId === event.subagentRunId;
        set({ steps: progress.steps.map((step) => (isIt(step) ? { ...step, status: "finished" } : step)) });
      },
    }),
  };
}
