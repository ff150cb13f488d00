import { EventType, type ContentPart, type EventOf } from "../protocol/vocabulary.js";
import { ownedBy } from "./present-fields.js";

/** TOOL_CALL_RESULT. */
export function toolCallResult(
  toolCallId: string,
  messageId: string,
  content: string | ContentPart[],
  subagentRunId: string | undefined,
): EventOf<"TOOL_CALL_RESULT"> {
  const type = EventType.TOOL_CALL_RESULT;
  return ownedBy(subagentRunId, { type, messageId, toolCallId, role: "tool", content });
}
