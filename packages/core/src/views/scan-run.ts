import type { OperatorFunction } from "rxjs";
import type { AGUIEvent, Message } from "../protocol/vocabulary.js";
import type { Warning, WarningOptions } from "../protocol/warning.js";
import type { Warn } from "./create-warn.js";
import { Fold, scanFold } from "./fold.js";
import { MessagesFold } from "./fold-messages.js";
import { ProgressFold } from "./fold-progress.js";
import { StateFold } from "./fold-state.js";
import { ToolCallsFold } from "./fold-tool-calls.js";
import type { RunView } from "./run-view.js";

/** What a thread holds before its run, as the run's input says. */
export interface RunViewStart<State = unknown> {
  /** None by default. */
  readonly messages?: readonly Message[];
  /** `{}` by default. */
  readonly state?: State;
}

/**
 * Builds one view of a run from its events: messages, state, tool calls with their arguments so far, steps,
 * interrupts and how it ended.
 *
 * ```text
 * source:       --S--T--a--b--F--|      S, F: the run's start and end, T, a, b: a message and its text
 * scanRun()
 * result:       --1--2--3--4--5--|      status "running" in 1 to 4, "finished" in 5
 * ```
 *
 * Emits a {@link RunView} after each event that changes it, synchronously: a plain object that is never changed
 * later. What an event does not change keeps its reference, so `===` and Angular's OnPush tell what to draw. An
 * event costs what it changes and at most one copy of the list it stands in; a call's `args` may lag behind its
 * `arguments`, as `partialJson` does, and are exact when it ends. For a screen put `batchEvents` before this.
 *
 * Events have to be explicit: put `expandChunks()` before this, and `parseEvents()` before that when they come
 * from outside. Several runs may follow on one stream: messages, state and calls go on, the rest is the latest
 * run's. RUN_ERROR is no error of the stream but the status "failed". Completes and errors with the source; a
 * stream that was cut stays "running". Warnings are those of `scanMessages` and `scanState`.
 *
 * @typeParam State - what the agent keeps; not checked
 * @param initial - messages and state before the run, taken by reference
 * @param options - `onWarning` hears of what had to be tolerated, as the view's `warnings` do
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { events, scanRun } from "@agrx/core";
 *
 * from([
 *   events.runStarted({ threadId: "t", runId: "r" }),
 *   events.toolCallStart({ toolCallId: "c", toolCallName: "get_weather" }),
 *   events.toolCallArgs({ toolCallId: "c", delta: '{"city":"Seo' }),
 * ])
 *   .pipe(scanRun())
 *   .subscribe(({ status, toolCalls }) => console.log(status, toolCalls[0]?.args)); // running undefined, running undefined, running { city: 'Seo' }
 * ```
 */
export function scanRun<State = unknown>(
  initial: RunViewStart<State> = {},
  options: WarningOptions = {},
): OperatorFunction<AGUIEvent, RunView<State>> {
  return scanFold((warn) => new RunFold(initial, warn) as Fold<RunView<State>>, options);
}

/** A view keeps this many warnings, the latest: a stream that goes wrong at each event must not grow it. */
const MOST_WARNINGS = 100;

class RunFold extends Fold<RunView> {
  value: RunView;
  readonly #messages: MessagesFold;
  readonly #toolCalls: ToolCallsFold;
  readonly #state: StateFold;
  readonly #progress = new ProgressFold();
  #progressShown = this.#progress.value;
  #warnings: readonly Warning[] = [];

  constructor(initial: RunViewStart, tell: Warn) {
    super();
    const warn: Warn = (...what) => {
      const warning = tell(...what);
      this.#warnings = [...this.#warnings.slice(1 - MOST_WARNINGS), warning];
      return warning;
    };
    this.#messages = new MessagesFold(initial.messages ?? [], warn);
    this.#toolCalls = new ToolCallsFold(this.#messages);
    this.#state = new StateFold(initial.state, warn);
    this.value = this.#show();
  }

  #show(): RunView {
    return {
      ...this.#progressShown,
      messages: this.#messages.value,
      toolCalls: this.#toolCalls.value,
      state: this.#state.value,
      warnings: this.#warnings,
    };
  }

  override apply(event: AGUIEvent): void {
    this.#messages.apply(event);
    this.#toolCalls.apply(event);
    this.#state.apply(event);
    this.#progress.apply(event);
    const { value } = this.#progress;
    const { messages, toolCalls, state, warnings } = this.value;
    if (
      messages === this.#messages.value &&
      toolCalls === this.#toolCalls.value &&
      state === this.#state.value &&
      warnings === this.#warnings &&
      value === this.#progressShown
    )
      return;
    this.#progressShown = value;
    this.value = this.#show();
  }
}
