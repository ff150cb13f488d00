import { EventType } from "../protocol/vocabulary.js";
import { dispose } from "./dispose.js";
import type {
  MessageHandle,
  MessageOptions,
  ReasoningHandle,
  ReasoningOptions,
  StepHandle,
  StepOptions,
} from "./open-handles.js";
import { openHandle } from "./open-handle.js";
import { ownedBy, reasoningStarts, stepStarted, textStart } from "./own-events.js";
import type { RunSession } from "./run-session.js";
import { fragment } from "./to-fragments.js";

/** Opens a text message; see `RunContext.openMessage`. */
export function openMessage(run: RunSession, options: MessageOptions = {}): MessageHandle {
  const id = options.messageId ?? run.ids.nextMessageId();
  const message = openHandle(run, textStart(id, options));
  let text = "";
  return {
    id,
    get text() {
      return text;
    },
    content(delta) {
      const type = EventType.TEXT_MESSAGE_CONTENT;
      message.send(
        "content",
        ownedBy(options.subagentRunId, { type, messageId: id, delta: fragment(delta) }),
      );
      text += delta;
    },
    end: message.end,
    [dispose]: message.close,
  };
}

/** Opens a reasoning span and its message; see `RunContext.openReasoning`. */
export function openReasoning(run: RunSession, options: ReasoningOptions = {}): ReasoningHandle {
  const id = options.messageId ?? run.ids.nextMessageId();
  const [spanStart, messageStart] = reasoningStarts(id, options);
  const span = openHandle(run, spanStart);
  const message = openHandle(run, messageStart);
  let text = "";
  return {
    id,
    get text() {
      return text;
    },
    content(delta) {
      const type = EventType.REASONING_MESSAGE_CONTENT;
      message.send(
        "content",
        ownedBy(options.subagentRunId, { type, messageId: id, delta: fragment(delta) }),
      );
      text += delta;
    },
    end() {
      message.end();
      span.close();
    },
    [dispose]() {
      message.close();
      span.close();
    },
  };
}

/** Opens a step; see `RunContext.openStep`. */
export function openStep(run: RunSession, name: string, options: StepOptions = {}): StepHandle {
  const step = openHandle(run, stepStarted(name, options));
  return { name, end: step.end, [dispose]: step.close };
}
