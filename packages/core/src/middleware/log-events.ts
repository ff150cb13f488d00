import { asyncScheduler, defer, tap, type MonoTypeOperatorFunction } from "rxjs";
import { lifecycle, type LifecycleRow } from "../protocol/lifecycle.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";

/** How {@link logEvents} writes. */
export interface LogEventsOptions {
  /** Whether deltas are written too: one line each. Default false. */
  readonly deltas?: boolean;
  /** Gives the time in milliseconds. Default the clock of rxjs' `asyncScheduler`. */
  readonly now?: () => number;
}

/**
 * Writes a line for each event: the milliseconds since subscription, the type, the id, and the name of a tool
 * or step. Never what a user, a model or a tool said.
 *
 * Passes every event on, synchronously; what `write` throws is the stream's error.
 *
 * ```text
 * source:            --S--c--a--e--F|      c: TOOL_CALL_START, a: ARGS, e: END
 * logEvents(write)   --w--w-----w--w       a delta is written only when asked for
 * result:            --S--c--a--e--F|
 * ```
 *
 * @param write - receives each line, without its line feed
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { events } from "@agrx/core";
 * import { logEvents } from "@agrx/core/middleware";
 *
 * of(events.toolCallStart({ toolCallId: "call-1", toolCallName: "get_weather" }))
 *   .pipe(logEvents((line) => console.log(line), { now: () => 0 })) // +0 ms TOOL_CALL_START call-1 get_weather
 *   .subscribe();
 * ```
 */
export function logEvents(
  write: (line: string) => void,
  { deltas = false, now = () => asyncScheduler.now() }: LogEventsOptions = {},
): MonoTypeOperatorFunction<AGUIEvent> {
  return (source) =>
    defer(() => {
      const start = now();
      return source.pipe(
        tap((event) => {
          const row: LifecycleRow | undefined = lifecycle[event.type];
          if (deltas || row?.role !== "continues") write(`+${now() - start} ms ${describe(event, row)}`);
        }),
      );
    });
}

function describe(event: AGUIEvent, row: LifecycleRow | undefined): string {
  const fields = event as unknown as Record<string, unknown>;
  const id = row?.id === undefined ? undefined : fields[row.id];
  const words = [
    event.type,
    id,
    fields["toolCallName"],
    fields["code"],
    fields["subagentRunId"] !== id && fields["subagentRunId"],
  ];
  return words.filter((word) => typeof word === "string").join(" ");
}
