import type { AGUIEvent } from "../protocol/vocabulary.js";

/** Says which subagent an event is of, unless the run's own agent sends it. */
export function ownedBy<E extends AGUIEvent>(subagentRunId: string | undefined, event: E): E {
  return subagentRunId === undefined ? event : { ...event, subagentRunId };
}
