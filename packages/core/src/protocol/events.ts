import { lifecycle } from "./lifecycle.js";
import { EventType, type AGUIEvent, type EventOf, type EventTypeName } from "./vocabulary.js";

type Fields<T extends EventTypeName> = Omit<EventOf<T>, "type">;

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

/** The factories of {@link events}: one for each event type, named as the type in camel case. */
export type EventFactories = {
  readonly [T in EventTypeName as CamelCase<T>]: (fields: Fields<T>) => EventOf<T>;
};

/**
 * A factory for each event type: takes the event's fields, gives the event, typed.
 *
 * Nothing is filled in or checked beyond the types. Every type of the {@link lifecycle} table has one.
 *
 * @example
 * ```ts
 * import { events } from "@agrx/core";
 *
 * const end = events.toolCallEnd({ toolCallId: "call-1" });
 * console.log(end.type); // TOOL_CALL_END
 * ```
 */
export const events: EventFactories = /* @__PURE__ */ createFactories();

function createFactories(): EventFactories {
  const factories = Object.keys(lifecycle).map((type) => [
    type.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    (fields: object) => ({ type, ...fields }),
  ]);
  return Object.fromEntries(factories) as EventFactories;
}

/** Whether an event ends its run: RUN_FINISHED or RUN_ERROR. */
export function isTerminal(event: AGUIEvent): event is EventOf<"RUN_FINISHED" | "RUN_ERROR"> {
  return event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR;
}
