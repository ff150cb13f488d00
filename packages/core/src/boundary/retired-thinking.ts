/** A reasoning event in place of a thinking event, not checked yet. */
export type Translated = Record<string, unknown> & { readonly type: string };

/** Translates the THINKING events of peers from before 1.0, which carry no ids. */
export interface ThinkingTranslator {
  /** A run has started: ids are minted for it, and nothing stays open from before. */
  start(runId: string): void;
  /** The event as its successor, where there is one of such a name; undefined when it cannot have any. */
  translate(event: Readonly<Record<string, unknown>>, type: string): Translated | undefined;
}

/** Minted ids are `<runId>-thinking-1`, `<runId>-thinking-2`, ...: the same for the same stream, every time. */
export function createThinkingTranslator(): ThinkingTranslator {
  const open = new Map<string, string>();
  let prefix = "";
  let minted = 0;

  return {
    start(runId) {
      prefix = `${runId}-`;
      open.clear();
    },
    translate(event, type) {
      const [, kind = "", step] = /^THINKING_(?:TEXT_(MESSAGE_))?(START|CONTENT|END)$/.exec(type) ?? [];
      if (step === undefined) return undefined;
      // What was never opened gets an id of its own: the verifier then says that it is not open.
      const held = step === "START" ? undefined : open.get(kind);
      const messageId = held ?? `${prefix}thinking-${++minted}`;
      if (step === "START") open.set(kind, messageId);
      if (step === "END") open.delete(kind);
      const role = kind !== "" && step === "START" && { role: "reasoning" };
      return { ...event, type: `REASONING_${kind}${step}`, messageId, ...role };
    },
  };
}
