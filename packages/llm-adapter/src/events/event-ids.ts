import type { RunScope } from "@agrx/core";
import type { ToolCallStartDelta } from "../delta.js";

/** The ids of one answer's events. */
export interface EventIds {
  nextMessageId(): string;
  /** The id under which a call goes out: the provider's own where it is free. */
  toolCallId(start: ToolCallStartDelta): string;
  /** The answer finished: without a run, ids are only kept apart within one answer. */
  nextAnswer(): void;
}

/** How many ids of calls are remembered without a run to remember them. */
const remembered = 1024;

/** Takes ids from the run; without one, counts its own, the same for the same stream. */
export function createEventIds(options: {
  readonly context?: RunScope | undefined;
  readonly idPrefix?: string | undefined;
}): EventIds {
  const { context, idPrefix = "" } = options;
  if (context !== undefined) {
    return {
      nextMessageId: () => context.nextMessageId(),
      toolCallId: (start) => (start.synthetic ? context.nextToolCallId() : context.claimToolCallId(start.id)),
      nextAnswer: () => undefined,
    };
  }
  const taken = new Set<string>();
  let messages = 0;
  return {
    nextMessageId: () => `${idPrefix}msg-${++messages}`,
    toolCallId({ id, synthetic }) {
      const wanted = synthetic ? idPrefix + id : id;
      let free = wanted;
      for (let copy = 2; taken.has(free); copy++) free = `${wanted}-${copy}`;
      taken.add(free);
      if (taken.size > remembered) for (const oldest of taken) return (taken.delete(oldest), free);
      return free;
    },
    nextAnswer: () => taken.clear(),
  };
}
