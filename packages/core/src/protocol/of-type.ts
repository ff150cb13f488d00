import { filter, type OperatorFunction } from "rxjs";
import type { AGUIEvent, EventOf, EventType, EventTypeName } from "./vocabulary.js";

/**
 * Passes only events of the given types on, typed as such.
 *
 * ```text
 * source:                    --S--a--T--a--e--|
 * ofType("TOOL_CALL_ARGS")
 * result:                    -----a-----a-----|
 * ```
 *
 * Synchronous; completes and errors with the source. Without a type it passes nothing.
 *
 * @param types - names of event types; members of `EventType` are such names
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { events, ofType } from "@agrx/core";
 *
 * from([
 *   events.textMessageContent({ messageId: "m", delta: "Hi" }),
 *   events.toolCallArgs({ toolCallId: "c", delta: "{}" }),
 * ])
 *   .pipe(ofType("TOOL_CALL_ARGS"))
 *   .subscribe((event) => console.log(event.toolCallId)); // c
 * ```
 */
export function ofType<const T extends readonly (EventType | EventTypeName)[]>(
  ...types: T
): OperatorFunction<AGUIEvent, EventOf<T[number]>> {
  const wanted = new Set<string>(types);
  return filter((event): event is EventOf<T[number]> => wanted.has(event.type));
}
