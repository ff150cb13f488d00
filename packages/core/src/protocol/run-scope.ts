import type { Interrupt, ResumeEntry, RunAgentInput, TokenUsage } from "./vocabulary.js";

/** An interrupt to raise; without an `id` the run gives it the next one. */
export type InterruptRequest = Omit<Interrupt, "id"> & { readonly id?: string };

/**
 * What a part of a run needs to know of the run it works in: its input, its ids and its end.
 *
 * A run's `ctx` is one; operators that take `context` ask for no more than this.
 */
export interface RunScope {
  readonly input: RunAgentInput;
  readonly threadId: string;
  readonly runId: string;
  /** Aborts, synchronously, when the run's subscriber leaves or the run ends. */
  readonly signal: AbortSignal;
  /** The next message id of this run: `<runId>-msg-1`, `<runId>-msg-2`, ... */
  nextMessageId(): string;
  /** The next tool call id of this run: `<runId>-call-1`, `<runId>-call-2`, ... */
  nextToolCallId(): string;
  /**
   * Takes a tool call id that came from elsewhere. Gives it back when it is new to the run and its input,
   * else the id with `-2`, `-3`, ... behind it: the same for the same run, every time.
   */
  claimToolCallId(id: string): string;
  /** Adds to the usage that the run's terminal event reports, summed per provider and model. */
  addUsage(usage: TokenUsage): void;
  /**
   * Notes that the run has to ask before it can go on: its outcome becomes `interrupt`, with this and every
   * other one noted. Work that does not depend on the answer goes on.
   */
  interrupt(request: InterruptRequest): Interrupt;
  /** What the client answered to the interrupt with this id, when the run resumes one. */
  resumeFor(interruptId: string): ResumeEntry | undefined;
}
