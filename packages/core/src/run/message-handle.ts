import { dispose } from "./dispose.js";
import { stepStarted } from "./event-builders.js";
import { openHandle } from "./open-handle.js";
import type { MessageHandle, MessageOptions, StepHandle, StepOptions } from "./open-handles.js";
import type { RunSession } from "./run-session.js";
import type { Streamed } from "./streamed.js";
import { fragment } from "./to-fragments.js";

/** Opens a text message or reasoning, whichever `describe` makes; see `RunContext.openMessage`. */
export function openMessage(
  run: RunSession,
  describe: (messageId: string, options: MessageOptions) => Streamed,
  options: MessageOptions = {},
): MessageHandle {
  const id = options.messageId ?? run.ids.nextMessageId();
  const message = describe(id, options);
  const handle = openHandle(run, message.openings);
  let text = "";
  return {
    id,
    get text() {
      return text;
    },
    content(delta) {
      handle.send("content", message.fragment(fragment(delta)));
      text += delta;
    },
    end: handle.end,
    [dispose]: handle.close,
  };
}

/** Opens a step; see `RunContext.openStep`. */
export function openStep(run: RunSession, name: string, options?: StepOptions): StepHandle {
  const step = openHandle(run, [stepStarted(name, options)]);
  return { name, end: step.end, [dispose]: step.close };
}
