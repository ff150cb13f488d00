import type { OperatorFunction } from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { scanFold, type Fold } from "./fold.js";
import { foldState } from "./fold-state.js";

export function scanState<State = unknown>(
  initial?: State,
  options: WarningOptions = {},
): OperatorFunction<AGUIEvent, State> {
  return scanFold((warn) => foldState(initial, warn) as Fold<State>, options);
}
