import { tap, type MonoTypeOperatorFunction } from "rxjs";
import { isTerminal } from "../protocol/events.js";
import type { AGUIEvent, TokenUsage } from "../protocol/vocabulary.js";

/**
 * Tells the usage that a run's terminal event reports; a run that reports none is silent.
 *
 * Passes every event on, synchronously; what `onUsage` throws is the stream's error.
 *
 * ```text
 * source:              --S--t--F|
 * tapUsage(onUsage)             onUsage is called before F passes
 * result:              --S--t--F|
 * ```
 *
 * @param onUsage - receives one entry for each provider and model
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { events } from "@agrx/core";
 * import { tapUsage } from "@agrx/core/middleware";
 *
 * of(events.runFinished({ threadId: "t", runId: "r", usage: [{ inputTokens: 7 }] }))
 *   .pipe(tapUsage(([usage]) => console.log(usage?.inputTokens))) // 7
 *   .subscribe();
 * ```
 */
export function tapUsage(
  onUsage: (usage: readonly TokenUsage[]) => void,
): MonoTypeOperatorFunction<AGUIEvent> {
  return tap((event) => {
    if (isTerminal(event) && event.usage?.length) onUsage(event.usage);
  });
}
