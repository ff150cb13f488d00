import type { Observable } from "rxjs";
import type { AGUIEvent, RunAgentInput } from "../index.js";

/** A run's input with what a test wants of it. */
export function inputOf(wanted: Partial<RunAgentInput> = {}): RunAgentInput {
  return { threadId: "t", runId: "r", messages: [], tools: [], context: [], ...wanted };
}

/** What a subscriber got, as it came. */
export interface Recording {
  readonly events: AGUIEvent[];
  /** How it ended; undefined while it goes on. */
  end: "complete" | "error" | undefined;
  stop(): void;
}

/** Subscribes and writes down. */
export function record(source: Observable<AGUIEvent>): Recording {
  const recording: Recording = { events: [], end: undefined, stop: () => subscription.unsubscribe() };
  const subscription = source.subscribe({
    next: (event) => recording.events.push(event),
    error: () => (recording.end = "error"),
    complete: () => (recording.end = "complete"),
  });
  return recording;
}

/** Lets everything that waits for a promise go on. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Subscribes and waits until promises have settled. */
export async function recorded(source: Observable<AGUIEvent>): Promise<AGUIEvent[]> {
  const { events } = record(source);
  await settled();
  return events;
}

/**
 * An event in a few letters: `+text:r-msg-1` opens, `.` continues, `-` closes, `=call:c` answers, others are
 * their type.
 */
export function brief(event: AGUIEvent): string {
  const { type } = event;
  const id = (event as unknown as Record<string, string>)[idFields[type.replace(/_[A-Z]+$/, "")] ?? ""];
  const sign = signs[/[A-Z]+$/.exec(type)![0]];
  const short = names[type.replace(/_[A-Z]+$/, "")];
  return short && sign ? `${sign}${short}:${id}` : type;
}

/** A whole run in a line, without RUN_STARTED. */
export const briefly = (events: readonly AGUIEvent[]) =>
  events
    .filter(({ type }) => type !== "RUN_STARTED")
    .map(brief)
    .join(" ");

const signs: Record<string, string | undefined> = {
  START: "+",
  STARTED: "+",
  CONTENT: ".",
  ARGS: ".",
  END: "-",
  FINISHED: "-",
  ERROR: "!",
  RESULT: "=",
};
const names: Record<string, string | undefined> = {
  TEXT_MESSAGE: "text",
  TOOL_CALL: "call",
  REASONING: "span",
  REASONING_MESSAGE: "thought",
  STEP: "step",
  SUBAGENT: "sub",
};
const idFields: Record<string, string | undefined> = {
  TEXT_MESSAGE: "messageId",
  TOOL_CALL: "toolCallId",
  REASONING: "messageId",
  REASONING_MESSAGE: "messageId",
  STEP: "stepName",
  SUBAGENT: "subagentRunId",
};

/**
 * What is wrong with a run, told by the letters of `brief` alone, so independently of the lifecycle table:
 * nothing is continued or closed that is not open, opened twice, or left open by RUN_FINISHED.
 */
export function faultsOf(events: readonly AGUIEvent[]): string[] {
  const faults: string[] = [];
  const open = new Set<string>();
  events.forEach((event, index) => {
    const text = brief(event);
    const entity = text.slice(1);
    const owner = event.type.startsWith("STEP") && "subagentRunId" in event ? `${event.subagentRunId}/` : "";
    const name = owner + entity;
    const isTerminal = event.type === "RUN_FINISHED" || event.type === "RUN_ERROR";
    if ((event.type === "RUN_STARTED") !== (index === 0)) faults.push(`${index}: ${event.type}`);
    if (isTerminal !== (index === events.length - 1)) faults.push(`${index}: ${event.type} at this place`);
    if (text.startsWith("+")) {
      if (open.has(name)) faults.push(`${index}: ${text} twice`);
      open.add(name);
    } else if (/^[.!-]/.test(text)) {
      if (!open.has(name)) faults.push(`${index}: ${text} of nothing open`);
      if (!text.startsWith(".")) open.delete(name);
    } else if (text.startsWith("=") && open.has(name)) {
      faults.push(`${index}: ${text} while open`);
    }
    if (event.type === "RUN_FINISHED" && open.size > 0) faults.push(`open at the end: ${[...open].join()}`);
  });
  return faults;
}
