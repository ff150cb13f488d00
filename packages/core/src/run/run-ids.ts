import type { Message, RunAgentInput } from "../protocol/vocabulary.js";
import { answeredCalls } from "../tools/answered-calls.js";

/** The ids of one run: counted, so the same run has the same ids every time. */
export interface RunIds {
  nextMessageId(): string;
  nextToolCallId(): string;
  nextSubagentId(): string;
  nextInterruptId(): string;
  claimToolCallId(id: string): string;
}

/**
 * Makes the ids of one run; ids that the input's messages have are never given again.
 *
 * @param isKnownCall - whether a call of that id was started in the run
 */
export function createRunIds(input: RunAgentInput, isKnownCall: (id: string) => boolean): RunIds {
  const counts: Record<string, number> = {};
  const claimed = new Set<string>();
  let known: InputIds | undefined;
  const inputIds = () => (known ??= idsOf(input.messages ?? []));
  const isTakenCall = (id: string) => claimed.has(id) || isKnownCall(id) || inputIds().calls.has(id);

  function next(label: string, isTaken?: (id: string) => boolean): string {
    for (;;) {
      const count = (counts[label] = (counts[label] ?? 0) + 1);
      const id = `${input.runId}-${label}-${count}`;
      if (!isTaken?.(id)) return id;
    }
  }

  return {
    nextMessageId: () => next("msg", (id) => inputIds().messages.has(id)),
    nextToolCallId: () => next("call", isTakenCall),
    nextSubagentId: () => next("subagent"),
    nextInterruptId: () => next("interrupt"),
    claimToolCallId(id) {
      let free = id;
      for (let copy = 2; isTakenCall(free); copy += 1) free = `${id}-${copy}`;
      claimed.add(free);
      return free;
    },
  };
}

interface InputIds {
  readonly messages: ReadonlySet<string>;
  readonly calls: ReadonlySet<string>;
}

function idsOf(messages: readonly Message[]): InputIds {
  const calls = answeredCalls(messages);
  for (const message of messages) {
    if (message.role === "assistant") message.toolCalls?.forEach(({ id }) => calls.add(id));
  }
  return { messages: new Set(messages.map(({ id }) => id)), calls };
}
