import type { Event as ProtocolEvent, EventType } from "@ag-ui/core";

export { EventType } from "@ag-ui/core";
export type {
  ActivityMessage,
  AssistantMessage,
  ContentPart,
  Context,
  Interrupt,
  JsonPatch,
  JsonPatchOperation,
  Message,
  Metadata,
  PartSource,
  ReasoningMessage,
  ResumeEntry,
  Role,
  RunAgentInput,
  RunFinishedOutcome,
  TextMessageRole,
  TokenUsage,
  Tool,
  ToolMessage,
  UserMessage,
} from "@ag-ui/core";
/** A tool call as it stands on an assistant message; agrx's own view of a call is {@link ToolCall}. */
export type { ToolCall as MessageToolCall } from "@ag-ui/core";

/**
 * One event of an AG-UI run, discriminated by `type`.
 *
 * The protocol package's own union. Build values with {@link events}, which needs no enum.
 */
export type AGUIEvent = ProtocolEvent;

/** The name of an event type as it stands on the wire. */
export type EventTypeName = `${EventType}`;

/** The event of one type, or the union of several; a type is a name or a member of `EventType`. */
export type EventOf<T extends EventType | EventTypeName> = Extract<AGUIEvent, { type: EventTypeMember<T> }>;

type EventTypeMember<T extends EventType | EventTypeName> = {
  [K in EventType]: `${K}` extends `${T}` ? K : never;
}[EventType];
