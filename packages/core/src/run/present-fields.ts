import type { AGUIEvent } from "../protocol/vocabulary.js";

type Loose<E> = { readonly [K in keyof E]: E[K] | undefined };

/** An event without the fields that nobody gave: on the wire an absent field is absent. */
export function presentFields<E extends AGUIEvent>(event: Loose<E>): E {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined)) as unknown as E;
}

/** Says which subagent an event is of, unless the run's own agent sends it. */
export function ownedBy<E extends AGUIEvent>(subagentRunId: string | undefined, event: E): E {
  return subagentRunId === undefined ? event : { ...event, subagentRunId };
}
