import { EventType, type AGUIEvent, type EventOf } from "../protocol/vocabulary.js";
import type { ChunkEvent, ChunkKind, ChunkStream } from "./chunk-lanes.js";

/** The explicit events that chunks of one kind stand for. */
interface ExplicitEvents {
  start(stream: ChunkStream): AGUIEvent;
  content(id: string, delta: string): AGUIEvent;
  end(id: string): AGUIEvent;
}

const explicitEvents: Record<ChunkKind, ExplicitEvents> = {
  text: {
    start({ id, opener }) {
      const { role = "assistant", name } = opener as EventOf<"TEXT_MESSAGE_CHUNK">;
      const start = { type: EventType.TEXT_MESSAGE_START as const, messageId: id, role };
      return name === undefined ? start : { ...start, name };
    },
    content: (messageId, delta) => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta }),
    end: (messageId) => ({ type: EventType.TEXT_MESSAGE_END, messageId }),
  },
  toolCall: {
    start({ id, opener }) {
      const { toolCallName = "", parentMessageId } = opener as EventOf<"TOOL_CALL_CHUNK">;
      const start = { type: EventType.TOOL_CALL_START as const, toolCallId: id, toolCallName };
      return parentMessageId === undefined ? start : { ...start, parentMessageId };
    },
    content: (toolCallId, delta) => ({ type: EventType.TOOL_CALL_ARGS, toolCallId, delta }),
    end: (toolCallId) => ({ type: EventType.TOOL_CALL_END, toolCallId }),
  },
  reasoningMessage: {
    start: ({ id }) => ({ type: EventType.REASONING_MESSAGE_START, messageId: id, role: "reasoning" }),
    content: (messageId, delta) => ({ type: EventType.REASONING_MESSAGE_CONTENT, messageId, delta }),
    end: (messageId) => ({ type: EventType.REASONING_MESSAGE_END, messageId }),
  },
};

/** The start event of a stream, with the metadata of the chunk that opens it. */
export function startOf(stream: ChunkStream, chunk: ChunkEvent): AGUIEvent {
  const start = explicitEvents[stream.kind].start(stream);
  tag(start, stream.subagentRunId);
  if (chunk.metadata !== undefined) start.metadata = chunk.metadata;
  return start;
}

/** The content event of a chunk; a malformed delta stays as it is, for a validator to refuse. */
export function contentOf(stream: ChunkStream, chunk: ChunkEvent): AGUIEvent {
  const delta = chunk.delta === undefined ? "" : chunk.delta;
  const content = explicitEvents[stream.kind].content(stream.id, delta);
  tag(content, chunk.subagentRunId === undefined ? stream.subagentRunId : chunk.subagentRunId);
  if (chunk.metadata !== undefined) content.metadata = chunk.metadata;
  if (chunk.rawEvent !== undefined) content.rawEvent = chunk.rawEvent as unknown;
  return content;
}

/** The end event of a stream. */
export function endOf(stream: ChunkStream): AGUIEvent {
  const end = explicitEvents[stream.kind].end(stream.id);
  tag(end, stream.subagentRunId);
  return end;
}

function tag(event: AGUIEvent & { subagentRunId?: string }, owner: string | undefined): void {
  if (owner !== undefined) event.subagentRunId = owner;
}
