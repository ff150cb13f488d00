import { table } from "./shape.js";

/** A reasoning event in place of a thinking event, not checked yet. */
export type Translated = Record<string, unknown> & { readonly type: string };

/** Translates the THINKING events of peers from before 1.0, which carry no ids. */
export interface ThinkingTranslator {
  /** A run has started: ids are minted for it, and nothing stays open from before. */
  start(runId: string): void;
  /** The event as its successor; undefined when it is none of the retired ones. */
  translate(event: Readonly<Record<string, unknown>>): Translated | undefined;
}

/** Minted ids are `<runId>-thinking-1`, `<runId>-thinking-2`, ...: the same for the same stream, every time. */
export function createThinkingTranslator(): ThinkingTranslator {
  const open = new Map<Subject, string>();
  let prefix = "";
  let minted = 0;

  const idOf = (subject: Subject, step: Step): string => {
    // What was never opened gets an id of its own: the verifier then says that it is not open.
    const id = (step === "opens" ? undefined : open.get(subject)) ?? `${prefix}thinking-${++minted}`;
    if (step === "opens") open.set(subject, id);
    if (step === "closes") open.delete(subject);
    return id;
  };

  return {
    start(runId) {
      prefix = `${runId}-`;
      open.clear();
    },
    translate(event) {
      const successor = successors[event["type"] as string];
      if (successor === undefined) return undefined;
      const [type, subject, step] = successor;
      const role = type === "REASONING_MESSAGE_START" ? { role: "reasoning" } : {};
      return { ...event, type, messageId: idOf(subject, step), ...role };
    },
  };
}

type Subject = "span" | "message";
type Step = "opens" | "continues" | "closes";

const successors = table<readonly [type: string, subject: Subject, step: Step]>({
  THINKING_START: ["REASONING_START", "span", "opens"],
  THINKING_TEXT_MESSAGE_START: ["REASONING_MESSAGE_START", "message", "opens"],
  THINKING_TEXT_MESSAGE_CONTENT: ["REASONING_MESSAGE_CONTENT", "message", "continues"],
  THINKING_TEXT_MESSAGE_END: ["REASONING_MESSAGE_END", "message", "closes"],
  THINKING_END: ["REASONING_END", "span", "closes"],
});
