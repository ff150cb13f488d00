import { EventType, type AGUIEvent, type Message } from "../protocol/vocabulary.js";
import { answeredCalls } from "./answered-calls.js";
import { PROVIDER_EXECUTED } from "./provider-executed.js";
import type { ExecutableTool } from "./tool.js";
import type { ToolRegistry } from "./tool-registry.js";

/** A call of a registered tool whose END just came. */
export interface EndedCall {
  readonly id: string;
  readonly tool: ExecutableTool;
  readonly text: string;
  readonly subagentRunId: string | undefined;
}

/** Follows the brackets of calls to registered tools. */
export interface ToolCallCollector {
  /** Takes an event; gives the call that ended with it and has to be answered now, if one did. */
  follow(event: AGUIEvent): EndedCall | undefined;
}

interface OpenCall {
  readonly tool: ExecutableTool;
  readonly fragments: string[];
  readonly subagentRunId: string | undefined;
}

/**
 * Gives each call of a registered tool once, however often it comes: not again when it is replayed or
 * reopened, not when a result for it came first, not when the provider runs it.
 *
 * @param registry - the tools that are here
 * @param history - messages of earlier runs: what they answer is answered
 */
export function createToolCallCollector(
  registry: ToolRegistry,
  history: readonly Message[] = [],
): ToolCallCollector {
  const open = new Map<string, OpenCall>();
  /** Calls that were given out or answered; their ids are the thread's, so no run forgets them. */
  const settled = answeredCalls(history);

  return {
    follow(event) {
      switch (event.type) {
        case EventType.TOOL_CALL_START: {
          const { toolCallId, toolCallName, metadata, subagentRunId } = event;
          const tool = registry.get(toolCallName);
          if (tool && metadata?.[PROVIDER_EXECUTED] !== true && !settled.has(toolCallId)) {
            open.set(toolCallId, { tool, fragments: [], subagentRunId });
          }
          return undefined;
        }
        case EventType.TOOL_CALL_ARGS:
          open.get(event.toolCallId)?.fragments.push(event.delta);
          return undefined;
        case EventType.TOOL_CALL_END: {
          const call = open.get(event.toolCallId);
          if (!call) return undefined;
          open.delete(event.toolCallId);
          settled.add(event.toolCallId);
          const { tool, fragments, subagentRunId } = call;
          return { id: event.toolCallId, tool, text: fragments.join(""), subagentRunId };
        }
        case EventType.TOOL_CALL_RESULT:
          open.delete(event.toolCallId);
          settled.add(event.toolCallId);
          return undefined;
        case EventType.RUN_STARTED:
        case EventType.RUN_ERROR:
          open.clear();
          return undefined;
        default:
          return undefined;
      }
    },
  };
}
