import { EventType, type AGUIEvent, type ContentPart, type EventOf } from "../protocol/vocabulary.js";
import type { MessageOptions, ReasoningOptions, StepOptions } from "./open-handles.js";
import type { ToolCallOptions } from "./open-tool-call.js";

type Loose<E> = { readonly [K in keyof E]: E[K] | undefined };

/** An event without the fields that nobody gave: on the wire an absent field is absent. */
export function withoutAbsent<E extends AGUIEvent>(event: Loose<E>): E {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => value !== undefined)) as unknown as E;
}

/** Says which subagent an event is of, unless the run's own agent sends it. */
export function ownedBy<E extends AGUIEvent>(subagentRunId: string | undefined, event: E): E {
  return subagentRunId === undefined ? event : { ...event, subagentRunId };
}

/** TEXT_MESSAGE_START. */
export function textStart(messageId: string, options: MessageOptions): EventOf<"TEXT_MESSAGE_START"> {
  const { role = "assistant", name, subagentRunId, metadata } = options;
  const type = EventType.TEXT_MESSAGE_START;
  return withoutAbsent<EventOf<"TEXT_MESSAGE_START">>({
    type,
    messageId,
    role,
    name,
    subagentRunId,
    metadata,
  });
}

/** REASONING_START and REASONING_MESSAGE_START, the span's and its message's, under one id. */
export function reasoningStarts(messageId: string, options: ReasoningOptions): [AGUIEvent, AGUIEvent] {
  const { subagentRunId, metadata } = options;
  return [
    withoutAbsent<EventOf<"REASONING_START">>({ type: EventType.REASONING_START, messageId, subagentRunId }),
    withoutAbsent<EventOf<"REASONING_MESSAGE_START">>({
      type: EventType.REASONING_MESSAGE_START,
      messageId,
      role: "reasoning",
      subagentRunId,
      metadata,
    }),
  ];
}

/** TOOL_CALL_START. */
export function toolCallStart(
  toolCallId: string,
  toolCallName: string,
  { parentMessageId, subagentRunId, metadata }: ToolCallOptions,
): EventOf<"TOOL_CALL_START"> {
  return withoutAbsent<EventOf<"TOOL_CALL_START">>({
    type: EventType.TOOL_CALL_START,
    toolCallId,
    toolCallName,
    parentMessageId,
    subagentRunId,
    metadata,
  });
}

/** STEP_STARTED. */
export function stepStarted(
  stepName: string,
  { subagentRunId, metadata }: StepOptions,
): EventOf<"STEP_STARTED"> {
  return withoutAbsent<EventOf<"STEP_STARTED">>({
    type: EventType.STEP_STARTED,
    stepName,
    subagentRunId,
    metadata,
  });
}

/** TOOL_CALL_RESULT. */
export function toolCallResult(
  toolCallId: string,
  messageId: string,
  content: string | ContentPart[],
  subagentRunId: string | undefined,
): EventOf<"TOOL_CALL_RESULT"> {
  return ownedBy(subagentRunId, { type: EventType.TOOL_CALL_RESULT, toolCallId, messageId, content });
}
