import { Observable, timer, map } from "rxjs";
import { z } from "zod";
import { events, tool, type AGUIEvent, type RunScope } from "../index.js";

/** The events of one call. */
export const callEvents = (id: string, name: string, args: string, more: object = {}): AGUIEvent[] => [
  events.toolCallStart({ toolCallId: id, toolCallName: name, ...more }),
  ...(args === "" ? [] : [events.toolCallArgs({ toolCallId: id, delta: args })]),
  events.toolCallEnd({ toolCallId: id }),
];

export const started = events.runStarted({ threadId: "t", runId: "r" });
export const finished = events.runFinished({ threadId: "t", runId: "r" });
export const failed = events.runError({ message: "boom" });

/** Gives its argument back at once. */
export const echo = tool({
  name: "echo",
  description: "Gives the text back.",
  parameters: z.object({ text: z.string() }),
  execute: ({ text }) => text,
});

/** Takes as many milliseconds as it is told, and writes down how it ended. */
export function slow(log: string[] = []) {
  return tool({
    name: "slow",
    description: "Waits.",
    parameters: z.object({ ms: z.number() }),
    execute: ({ ms }, { signal, call }) =>
      new Observable<string>((subscriber) => {
        log.push(`start ${call.id}`);
        signal.addEventListener("abort", () => log.push(`abort ${call.id}`));
        return timer(ms)
          .pipe(map(() => `${call.id} after ${ms}`))
          .subscribe(subscriber);
      }),
  });
}

/** A scope that counts message ids and keeps what was asked. */
export function scopeOf(input: Partial<RunScope["input"]> = {}): RunScope & { readonly asked: unknown[] } {
  let messages = 0;
  let calls = 0;
  const asked: unknown[] = [];
  const whole = { threadId: "t", runId: "r", messages: [], tools: [], context: [], ...input };
  return {
    asked,
    input: whole,
    threadId: "t",
    runId: "r",
    signal: new AbortController().signal,
    nextMessageId: () => `r-msg-${++messages}`,
    nextToolCallId: () => `r-call-${++calls}`,
    claimToolCallId: (id) => id,
    addUsage: () => undefined,
    interrupt: (request) => {
      const interrupt = { ...request, id: request.id ?? "i" };
      asked.push(interrupt);
      return interrupt;
    },
    resumeFor: (id) => whole.resume?.find(({ interruptId }) => interruptId === id),
  };
}

/** An event in a few letters: `s(c1)` START, `a` ARGS, `e` END, `r(c1: content)` RESULT, `S`, `F`, `X` the run's. */
export function brief(event: AGUIEvent): string {
  switch (event.type) {
    case "TOOL_CALL_START":
      return `s(${event.toolCallId})`;
    case "TOOL_CALL_ARGS":
      return `a(${event.toolCallId})`;
    case "TOOL_CALL_END":
      return `e(${event.toolCallId})`;
    case "TOOL_CALL_RESULT":
      return `r(${event.toolCallId}: ${typeof event.content === "string" ? event.content : "parts"})`;
    case "RUN_STARTED":
      return "S";
    case "RUN_FINISHED":
      return "F";
    case "RUN_ERROR":
      return `X(${event.code ?? event.message})`;
    case "CUSTOM":
      return event.name;
    default:
      return event.type;
  }
}

export const briefly = (all: readonly AGUIEvent[]): string => all.map(brief).join(" ");
