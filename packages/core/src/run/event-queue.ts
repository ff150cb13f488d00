import type { AGUIEvent } from "../protocol/vocabulary.js";

/** Hands events on one at a time, in the order in which they came. */
export interface EventQueue {
  push(event: AGUIEvent): void;
  /** Forgets what waits. */
  clear(): void;
}

/**
 * Makes a queue that keeps order under re-entrancy: an event pushed while another is being handed on (a
 * subscriber uses a handle inside `next`) waits until that is done.
 */
export function createEventQueue(handOn: (event: AGUIEvent) => void): EventQueue {
  let waiting: AGUIEvent[] = [];
  let batch: AGUIEvent[] = [];
  let busy = false;

  function drain(): void {
    while (waiting.length > 0) {
      batch = waiting;
      waiting = [];
      for (const event of batch) handOn(event);
    }
  }

  return {
    push(event) {
      if (busy) {
        waiting.push(event);
        return;
      }
      busy = true;
      handOn(event);
      drain();
      busy = false;
    },
    clear() {
      batch.length = 0;
      waiting.length = 0;
    },
  };
}
