import type { Message } from "../protocol/vocabulary.js";

/** The ids of the calls that messages answer. */
export function answeredCalls(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])));
}
