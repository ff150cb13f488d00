import { presentFields } from "../protocol/present-fields.js";
import {
  EventType,
  type ContentPart,
  type EventOf,
  type Metadata,
  type ToolMessage,
} from "../protocol/vocabulary.js";

/** A call whose result is sent. */
export interface AnsweredCall {
  readonly id: string;
  readonly resultMessageId: string;
  readonly subagentRunId?: string | undefined;
}

/** TOOL_CALL_RESULT of a call. */
export function toolResultEvent(
  { id, resultMessageId, subagentRunId }: AnsweredCall,
  content: string | ContentPart[],
  metadata?: Metadata,
): EventOf<"TOOL_CALL_RESULT"> {
  return presentFields({
    type: EventType.TOOL_CALL_RESULT,
    messageId: resultMessageId,
    toolCallId: id,
    role: "tool",
    content,
    subagentRunId,
    metadata,
  });
}

/** The message that answers a call on the client's side; a text that tells of a failure is its `error` too. */
export function toolMessage(
  toolCallId: string,
  content: string | ContentPart[],
  failed: boolean,
): ToolMessage {
  const error = failed && typeof content === "string" ? content : undefined;
  return presentFields({ id: resultMessageIdOf(toolCallId), role: "tool", toolCallId, content, error });
}

/** The id of a result's message where no run allocates one. */
export const resultMessageIdOf = (toolCallId: string): string => `${toolCallId}-result`;

const partTypes: ReadonlySet<unknown> = new Set(["text", "image", "audio", "video", "document"]);

/** What a tool gave as a result's content: text and content parts as they are, nothing as "", else JSON. */
export function resultContent(value: unknown): string | ContentPart[] {
  if (value === undefined) return "";
  return typeof value === "string" || isParts(value) ? value : jsonText(value);
}

function isParts(value: unknown): value is ContentPart[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part: { readonly type?: unknown } | null) => partTypes.has(part?.type))
  );
}

/** A value as JSON text; what JSON has no text for, such as a function, is `null`. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? "null";
}
