import { presentFields } from "../protocol/present-fields.js";
import { EventType, type AGUIEvent } from "../protocol/vocabulary.js";
import type { MessageOptions, ReasoningOptions } from "./open-handles.js";
import type { ToolCallOptions } from "./open-tool-call.js";
import { ownedBy } from "./owned-by.js";

/** An entity whose content comes in fragments. */
export interface Streamed {
  /** Its opening events, outermost first. */
  readonly openings: readonly AGUIEvent[];
  /** The event of one fragment. */
  readonly fragment: (delta: string) => AGUIEvent;
}

/** A text message. */
export function streamedText(messageId: string, options: MessageOptions): Streamed {
  const { role = "assistant", name, subagentRunId, metadata } = options;
  const type = EventType.TEXT_MESSAGE_START;
  return {
    openings: [presentFields({ type, messageId, role, name, subagentRunId, metadata })],
    fragment: (delta) => ownedBy(subagentRunId, { type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta }),
  };
}

/** Reasoning: a span and the one message in it, under one id. */
export function streamedReasoning(messageId: string, options: ReasoningOptions): Streamed {
  const { subagentRunId, metadata } = options;
  const type = EventType.REASONING_MESSAGE_START;
  return {
    openings: [
      ownedBy(subagentRunId, { type: EventType.REASONING_START, messageId }),
      presentFields({ type, messageId, role: "reasoning", subagentRunId, metadata }),
    ],
    fragment: (delta) =>
      ownedBy(subagentRunId, { type: EventType.REASONING_MESSAGE_CONTENT, messageId, delta }),
  };
}

/** A tool call. */
export function streamedCall(toolCallId: string, toolCallName: string, options: ToolCallOptions): Streamed {
  const { parentMessageId, subagentRunId, metadata } = options;
  const type = EventType.TOOL_CALL_START;
  return {
    openings: [presentFields({ type, toolCallId, toolCallName, parentMessageId, subagentRunId, metadata })],
    fragment: (delta) => ownedBy(subagentRunId, { type: EventType.TOOL_CALL_ARGS, toolCallId, delta }),
  };
}
