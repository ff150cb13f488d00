import type { AGUIEvent } from "../protocol/vocabulary.js";
import { bracketClosed } from "./bracket-closed.js";
import type { RunSession } from "./run-session.js";

/** What every handle stands on: a bracket that was opened at once, and those around it. */
export interface OpenHandle {
  /** Whether the bracket stands; false also when the run has closed it, or nobody listens. */
  readonly open: boolean;
  /**
   * Whether events of the bracket are heard; `use` names what wants to know.
   *
   * @throws RunClosedError after the run's terminal event
   * @throws RunUsageError `bracket-closed` after the bracket's end
   */
  isListening(use: string): boolean;
  /** Sends an event inside the bracket, if `isListening`. */
  send(use: string, event: AGUIEvent): void;
  /** Ends the bracket, if `isListening`. */
  end(): void;
  /** Ends the bracket unless that has happened; never throws. */
  close(): void;
}

/**
 * Opens a bracket by hand; in silence when the subscriber has left.
 *
 * @param openings - the opening events, outermost first; the innermost one is the handle's
 * @throws RunClosedError after the run's terminal event
 * @throws OrderingError `duplicate-start` when the entity is open already
 */
export function openHandle(run: RunSession, openings: readonly AGUIEvent[]): OpenHandle {
  const brackets = openings.map(run.open).reverse();
  const [bracket] = brackets;

  function isListening(use: string): boolean {
    if (!run.isListening() || bracket === undefined) return false;
    if (!bracket.open) throw bracketClosed(bracket, use);
    return true;
  }

  function close(): void {
    for (const one of brackets) if (one) run.close(one);
  }

  return {
    get open() {
      return bracket?.open ?? false;
    },
    isListening,
    send(use, event) {
      if (isListening(use)) run.emit(event);
    },
    end() {
      if (isListening("end")) close();
    },
    close,
  };
}
