import type { OperatorFunction } from "rxjs";
import type { AGUIEvent, Message } from "../protocol/vocabulary.js";
import type { Warning, WarningOptions } from "../protocol/warning.js";
import type { Warn } from "./create-warn.js";
import { scanFold, type Fold } from "./fold.js";
import { foldMessages } from "./fold-messages.js";
import { foldProgress } from "./fold-progress.js";
import { foldState } from "./fold-state.js";
import { foldToolCalls } from "./fold-tool-calls.js";
import { isSameList } from "./keep-equal.js";
import type { RunView } from "./run-view.js";

/** What a thread holds before its run: as the run's input says. */
export interface RunViewStart<State = unknown> {
  readonly messages?: readonly Message[];
  readonly state?: State;
}

export function scanRun<State = unknown>(
  initial: RunViewStart<State> = {},
  options: WarningOptions = {},
): OperatorFunction<AGUIEvent, RunView<State>> {
  return scanFold((warn) => foldRun(initial, warn) as Fold<RunView<State>>, options);
}

/** A view keeps this many warnings, the latest: a stream that goes wrong at each event must not grow it. */
const MOST_WARNINGS = 100;

function foldRun(initial: RunViewStart, tell: Warn): Fold<RunView> {
  let warnings: readonly Warning[] = [];
  const warn: Warn = (...what) => {
    const warning = tell(...what);
    warnings = [...warnings.slice(1 - MOST_WARNINGS), warning];
    return warning;
  };
  const messages = foldMessages(initial.messages ?? [], warn);
  const toolCalls = foldToolCalls(messages);
  const state = foldState(initial.state, warn);
  const progress = foldProgress();

  const parts = () => [messages.value, toolCalls.value, state.value, progress.value, warnings];
  const show = (): RunView => ({
    ...progress.value,
    messages: messages.value,
    state: state.value,
    toolCalls: toolCalls.value,
    warnings,
  });
  let shown = parts();
  let view = show();

  return {
    get value() {
      const now = parts();
      if (!isSameList(now, shown)) {
        shown = now;
        view = show();
      }
      return view;
    },
    apply: (event) => [messages, toolCalls, state, progress].forEach((fold) => fold.apply(event)),
  };
}
