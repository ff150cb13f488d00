import { EventType, type EventOf } from "../protocol/vocabulary.js";
import type { CallToAnswer, ToolAnswer } from "./answer-tool-call.js";
import { TOOL_ERROR_METADATA } from "./tool-error.js";

/** The event that tells a call's answer; a failure is marked in its metadata. */
export function toolResultEvent(
  call: CallToAnswer & { readonly subagentRunId?: string | undefined },
  { content, failure }: ToolAnswer,
): EventOf<"TOOL_CALL_RESULT"> {
  return {
    type: EventType.TOOL_CALL_RESULT,
    messageId: call.resultMessageId,
    toolCallId: call.id,
    role: "tool",
    content,
    ...(call.subagentRunId !== undefined && { subagentRunId: call.subagentRunId }),
    ...(failure !== undefined && { metadata: { [TOOL_ERROR_METADATA]: failure } }),
  };
}

/** The id of a result's message where no run allocates one. */
export const resultMessageIdOf = (toolCallId: string): string => `${toolCallId}-result`;
