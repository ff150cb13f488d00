import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { MonoTypeOperatorFunction } from "rxjs";
import type { AGUIEvent, RunFinishedOutcome } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import type { EventSource, RunContext } from "./run-context.js";

/** How a run's RUN_ERROR describes an error. */
export interface ErrorDescription {
  readonly message: string;
  readonly code?: string | undefined;
}

/** What a run may be told beside its input and its project. */
export interface RunOptions<State = unknown> extends WarningOptions {
  /**
   * Sees every event of the run, RUN_STARTED and the terminal one included, before the subscriber; its error
   * becomes RUN_ERROR. `verify({ profile: "producer", input })` of `@agrx/verify` is one. Default none.
   */
  readonly guard?: MonoTypeOperatorFunction<AGUIEvent> | undefined;
  /**
   * The polite stop: when it aborts, what is open is closed and the run ends with the outcome `cancelled`.
   * Unsubscribing is the other one, after which nothing is sent. Default none.
   */
  readonly stop?: AbortSignal | undefined;
  /** Words of RUN_ERROR for an error; default the error's own `message` and `code` (or `rule`). */
  readonly describeError?: ((error: unknown) => ErrorDescription) | undefined;
  /** What every published state has to be: zod or any Standard Schema; it types `ctx.state`. Default none. */
  readonly stateSchema?: StandardSchemaV1<unknown, State> | undefined;
}

/**
 * The body of a run: gives events to send, or drives handles and gives nothing, or a promise of nothing or
 * of an outcome.
 */
export type RunProject<State = unknown> = (
  ctx: RunContext<State>,
) => EventSource | PromiseLike<RunFinishedOutcome | void> | void;
