import type { Metadata, TextMessageRole } from "../protocol/vocabulary.js";

/** What a text message may be opened with. */
export interface MessageOptions {
  /** Id of the message; default the run's next one, `<runId>-msg-1`. */
  readonly messageId?: string | undefined;
  /** Who speaks; default "assistant". */
  readonly role?: TextMessageRole | undefined;
  /** The speaker's name. */
  readonly name?: string | undefined;
  /** The subagent that speaks; default the run's own agent. */
  readonly subagentRunId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** What reasoning may be opened with. */
export type ReasoningOptions = Pick<MessageOptions, "messageId" | "subagentRunId" | "metadata">;

/** What a step may be opened with. */
export type StepOptions = Pick<MessageOptions, "subagentRunId" | "metadata">;

/**
 * A text message or reasoning driven by hand: its opening event went out when it was opened.
 *
 * Leaving a `using` block, also by an exception, ends it once.
 */
export interface MessageHandle extends Disposable {
  readonly id: string;
  /** The text so far. */
  readonly text: string;
  /** Sends a piece of the text. */
  content(fragment: string): void;
  end(): void;
}

/** Reasoning driven by hand: a span with one reasoning message in it, both under `id`. */
export type ReasoningHandle = MessageHandle;

/** A step driven by hand; leaving a `using` block, also by an exception, finishes it once. */
export interface StepHandle extends Disposable {
  readonly name: string;
  end(): void;
}
