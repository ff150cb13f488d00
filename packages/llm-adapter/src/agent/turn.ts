import { EventType, PROVIDER_EXECUTED, type AGUIEvent, type TokenUsage } from "@agrx/core";
import type { Delta, FinishReason } from "../delta.js";

/** What one answer of the model came to, as far as the loop asks. */
export interface Turn {
  delta(delta: Delta): void;
  event(event: AGUIEvent): void;
  /** The provider's last word on the answer's usage. */
  readonly usage: TokenUsage | undefined;
  /** Whether the model is to be asked again: it paused, or every call that it made is answered. */
  readonly goesOn: boolean;
}

/** Follows one turn. */
export function createTurn(): Turn {
  const unanswered = new Set<string>();
  let answered = 0;
  let finish: FinishReason | undefined;
  let usage: TokenUsage | undefined;
  return {
    delta(delta) {
      if (delta.type === "finish") finish = delta.reason;
      if (delta.type === "usage") usage = delta.usage;
    },
    event(event) {
      if (event.type === EventType.TOOL_CALL_START && !event.metadata?.[PROVIDER_EXECUTED]) {
        unanswered.add(event.toolCallId);
      }
      if (event.type === EventType.TOOL_CALL_RESULT && unanswered.delete(event.toolCallId)) answered++;
    },
    get usage() {
      return usage;
    },
    get goesOn() {
      return unanswered.size === 0 && (answered > 0 || finish === "pause");
    },
  };
}
