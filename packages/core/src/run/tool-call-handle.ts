import type { ContentPart } from "../protocol/vocabulary.js";
import { quoteId } from "../protocol/quote-id.js";
import type { StatePublisher } from "../state/state-publisher.js";
import { jsonText, toolResultEvent } from "../tools/tool-result.js";
import { createOpenCall } from "./create-open-call.js";
import { dispose } from "./dispose.js";
import { openHandle } from "./open-handle.js";
import type { ToolCallHandle, ToolCallOptions } from "./open-tool-call.js";
import type { RunSession } from "./run-session.js";
import { RunUsageError } from "./run-usage-error.js";
import { streamedCall } from "./streamed.js";
import { fragment } from "./to-fragments.js";

/** Opens a tool call; see `RunContext.openToolCall`. */
export function openToolCall<State>(
  run: RunSession,
  publisher: StatePublisher<State>,
  name: string,
  options: ToolCallOptions = {},
): ToolCallHandle<State> {
  const id = options.toolCallId ?? run.ids.nextToolCallId();
  const resultMessageId = options.resultMessageId ?? run.ids.nextMessageId();
  const { openings, fragment: toArgs } = streamedCall(id, name, options);
  const call = openHandle(run, openings);
  let text = "";
  let ended = false;
  let answered = false;

  function args(delta: string): void {
    call.send("args", toArgs(fragment(delta)));
    text += delta;
  }

  function end(): void {
    call.end();
    ended = true;
  }

  function result(content: string | ContentPart[]): string {
    if (!run.isListening()) return resultMessageId;
    if (answered) {
      throw new RunUsageError("already-answered", `Tool call ${quoteId(id)} has its result already.`, {
        toolCallId: id,
      });
    }
    answered = true;
    ended = true;
    call.close();
    run.emit(toolResultEvent({ id, resultMessageId, subagentRunId: options.subagentRunId }, content));
    return resultMessageId;
  }

  const open = createOpenCall({
    id,
    name,
    resultMessageId,
    publisher,
    signal: run.signal,
    text: () => text,
    ended: () => ended || !call.open,
    isListening: call.isListening,
    send: run.emit,
  });
  return Object.assign(open, {
    args,
    argsJson: (value: unknown) => args(jsonText(value)),
    end,
    result,
    resultJson: (value: unknown) => result(jsonText(value)),
    [dispose]: call.close,
  });
}
