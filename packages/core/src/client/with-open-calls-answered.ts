import type { Message } from "../protocol/vocabulary.js";
import { answeredCalls } from "../tools/answered-calls.js";
import { toolMessage } from "../tools/tool-result.js";

/**
 * The messages with an answer to each call that has none: a run that was cut, stopped or failed leaves calls
 * that nobody will answer any more, and with an open call a thread cannot go on.
 */
export function withOpenCallsAnswered(messages: readonly Message[]): readonly Message[] {
  const answered = answeredCalls(messages);
  return messages.flatMap((message): Message[] => {
    if (message.role !== "assistant") return [message];
    const open = (message.toolCalls ?? []).filter(({ id }) => !answered.has(id));
    return [message, ...open.map(({ id }) => toolMessage(id, unknownEffect, true))];
  });
}

const unknownEffect = "The run ended before this call was answered; it may have had an effect.";
