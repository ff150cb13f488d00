import type { OperatorFunction } from "rxjs";
import type { AGUIEvent, Message } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { scanFold } from "./fold.js";
import { foldMessages } from "./fold-messages.js";

export function scanMessages(
  initial: readonly Message[] = [],
  options: WarningOptions = {},
): OperatorFunction<AGUIEvent, readonly Message[]> {
  return scanFold((warn) => foldMessages(initial, warn), options);
}
