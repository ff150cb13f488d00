import type { AnsweredCall, AssistantTurn, Transcript, UserTurn } from "./transcript.js";

/** How a provider of the chat shape writes each kind of message. */
export interface ChatShape<M> {
  system(text: string): M;
  user(turn: UserTurn): M;
  assistant(turn: AssistantTurn): M;
  tool(answered: AnsweredCall): M;
}

/**
 * Lays a transcript out as chat messages: each assistant message, then the answers of its calls in order. One that
 * only holds calls of the provider's own is left out.
 */
export function chatMessages<M>({ system, turns }: Transcript, shape: ChatShape<M>): M[] {
  const messages = system ? [shape.system(system)] : [];
  for (const turn of turns) {
    if (turn.role === "user") messages.push(shape.user(turn));
    else if (turn.text !== "" || turn.calls.length > 0 || turn.hosted.length === 0)
      messages.push(shape.assistant(turn), ...turn.calls.map((answered) => shape.tool(answered)));
  }
  return messages;
}
