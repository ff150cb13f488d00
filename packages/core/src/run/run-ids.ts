import type { Message, RunAgentInput } from "../protocol/vocabulary.js";

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
  let known: InputIds | undefined;
  const inputIds = () => (known ??= idsOf(input.messages ?? []));
  const claimed = new Set<string>();
  const isTakenCall = (id: string) => claimed.has(id) || isKnownCall(id) || inputIds().calls.has(id);

  function counter(label: string, isTaken: (id: string) => boolean): () => string {
    let count = 0;
    const next = () => `${input.runId}-${label}-${(count += 1)}`;
    return () => {
      let id = next();
      while (isTaken(id)) id = next();
      return id;
    };
  }

  return {
    nextMessageId: counter("msg", (id) => inputIds().messages.has(id)),
    nextToolCallId: counter("call", isTakenCall),
    nextSubagentId: counter("subagent", () => false),
    nextInterruptId: counter("interrupt", () => false),
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
  const calls = messages.flatMap((message) => {
    if (message.role === "tool") return [message.toolCallId];
    return message.role === "assistant" ? (message.toolCalls ?? []).map(({ id }) => id) : [];
  });
  return { messages: new Set(messages.map(({ id }) => id)), calls: new Set(calls) };
}
