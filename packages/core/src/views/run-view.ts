import type { Interrupt, Message, RunFinishedOutcome, TokenUsage } from "../protocol/vocabulary.js";
import type { Warning } from "../protocol/warning.js";
import type { ToolCall } from "../tools/tool-call.js";

/**
 * Where a run stands.
 *
 * - `idle`: no run has started yet.
 * - `running`: started, and no terminal event has come. A stream that was cut stays here: it did not succeed.
 * - `finished`, `interrupted`, `cancelled`: RUN_FINISHED came, with that outcome.
 * - `failed`: RUN_ERROR came.
 */
export type RunStatus = "idle" | "running" | "finished" | "interrupted" | "cancelled" | "failed";

/** A step of the run, or a subagent's, from STEP_STARTED on. */
export interface StepView {
  readonly name: string;
  readonly status: "running" | "finished";
  /** The subagent whose step it is; absent for the run's own. */
  readonly subagentRunId?: string;
}

/** Why a run failed, in the words of its RUN_ERROR. */
export interface RunFailure {
  readonly message: string;
  readonly code?: string;
}

/**
 * Everything a front end shows of a run, as one plain value.
 *
 * A view is never changed after it was emitted. What did not change between two views keeps its
 * reference, so `===` and Angular's OnPush tell what to draw again.
 */
export interface RunView<State = unknown> {
  /** Undefined before the first RUN_STARTED. */
  readonly threadId: string | undefined;
  /** The latest run of the stream; undefined before the first RUN_STARTED. */
  readonly runId: string | undefined;
  readonly status: RunStatus;
  /** The messages of the thread so far, in the order in which they were opened. */
  readonly messages: readonly Message[];
  /** The state so far: `initial.state`, or `{}`, until an event changes it. */
  readonly state: State;
  /** The calls of all messages so far, those of earlier runs too, in the order in which they were opened. */
  readonly toolCalls: readonly ToolCall[];
  /**
   * Calls of the latest run that no result answers yet. After RUN_FINISHED it is the list that the
   * agent gave, where it gave one that is not empty.
   */
  readonly pendingToolCallIds: readonly string[];
  /** Steps of the latest run, in the order in which they started. */
  readonly steps: readonly StepView[];
  /** What the latest run waits for; empty unless `status` is "interrupted". */
  readonly interrupts: readonly Interrupt[];
  /** How the latest run finished; undefined until RUN_FINISHED. An outcome that was left out is success. */
  readonly outcome: RunFinishedOutcome | undefined;
  /** The result that RUN_FINISHED carried. */
  readonly result: unknown;
  /** Tokens that the latest run reported, one entry a provider and model. */
  readonly usage: readonly TokenUsage[];
  /** Set when `status` is "failed". */
  readonly error: RunFailure | undefined;
  /** What the view had to tolerate, in order; see the `onWarning` option of {@link scanRun}. */
  readonly warnings: readonly Warning[];
}
