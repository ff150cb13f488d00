import { EventType, type AGUIEvent, type RunView } from "@agrx/core";
import { createColors } from "picocolors";

/** Shows a conversation as it goes. */
export interface Terminal {
  event(event: AGUIEvent): void;
  end(view: RunView | undefined): void;
}

/**
 * Writes a run to a terminal or a pipe: text as it streams, each call's name and its arguments as they fill
 * in, results, and the messages at the end.
 *
 * @param write takes what is to be shown
 * @param colors whether to colour it
 */
export function createTerminal(write: (text: string) => void, colors: boolean): Terminal {
  const color = createColors(colors);
  const names = new Map<string, string>();
  /** Whose line the cursor stands in. */
  let line = "";

  const into = (owner: string, head: string) => {
    if (line === owner) return;
    write(`${line === "" ? "" : "\n"}${head}`);
    line = owner;
  };

  return {
    event(event) {
      switch (event.type) {
        case EventType.RUN_STARTED:
          into("", color.dim(`${line === "" ? "" : "\n"}— ${event.runId} —\n`));
          break;
        case EventType.TEXT_MESSAGE_CONTENT:
          into(event.messageId, color.bold("agent  "));
          write(event.delta);
          break;
        case EventType.TOOL_CALL_START:
          names.set(event.toolCallId, event.toolCallName);
          into(event.toolCallId, `${color.cyan("call")}   ${event.toolCallName} `);
          break;
        case EventType.TOOL_CALL_ARGS:
          into(event.toolCallId, `${color.cyan("call")}   ${names.get(event.toolCallId) ?? ""} … `);
          write(color.cyan(event.delta));
          break;
        case EventType.TOOL_CALL_RESULT: {
          const result = typeof event.content === "string" ? event.content : JSON.stringify(event.content);
          into(event.messageId, `${color.green("result")} ${names.get(event.toolCallId) ?? ""} ${result}`);
          break;
        }
        case EventType.RUN_ERROR:
          into("error", color.red(`error  ${event.code ?? ""} ${event.message}`));
          break;
        default:
          break;
      }
    },
    end(view) {
      into("", "");
      if (!view) return;
      write(color.dim("\n— messages —\n"));
      for (const message of view.messages) {
        const calls =
          "toolCalls" in message ? (message.toolCalls ?? []).map((call) => call.function.name) : [];
        const text = typeof message.content === "string" ? message.content : "";
        write(
          `${message.role.padEnd(9)} ${text}${calls.length > 0 ? color.cyan(` [${calls.join(", ")}]`) : ""}\n`,
        );
      }
    },
  };
}
