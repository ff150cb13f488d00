import type { Observable } from "rxjs";
import type { AGUIEvent, RunAgentInput } from "../protocol/vocabulary.js";
import type { Bracket } from "./bracket.js";
import type { Description } from "./describe-error.js";
import type { ResumeEntries } from "./resume-entries.js";
import type { EndingNotes } from "./run-ending.js";
import type { RunIds } from "./run-ids.js";

/** What builders and handles need of the run that they send their events into. */
export interface RunSession {
  readonly input: RunAgentInput;
  readonly signal: AbortSignal;
  readonly ids: RunIds;
  readonly notes: EndingNotes;
  readonly resume: ResumeEntries;
  /**
   * Whether what is sent is heard: false, silently, when the subscriber has left.
   *
   * @throws RunClosedError after the terminal event
   */
  isListening(): boolean;
  /** Sends an event into the run, at once; silent or throwing as `isListening` says. */
  emit(event: AGUIEvent): void;
  /** Announces an entity that a builder is about to open. */
  reserve(opening: AGUIEvent): Bracket;
  /**
   * Opens an entity for a handle; undefined when nobody listens.
   *
   * @throws RunClosedError after the terminal event
   * @throws OrderingError `duplicate-start` when the entity is open already
   */
  open(opening: AGUIEvent): Bracket | undefined;
  /** Closes an entity that is open, in a run that still goes on; never throws. */
  close(bracket: Bracket): void;
  /** A builder was unsubscribed: its bracket is closed as soon as the last event it sent has come by. */
  abandon(bracket: Bracket): void;
  describe(error: unknown): Description;
}

/** One subscription to a run. */
export interface StartableSession extends RunSession {
  /** Sends RUN_STARTED and follows the project, unless the run is over by then. */
  start(project: () => Observable<AGUIEvent>): void;
}
