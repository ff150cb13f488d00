import { defer, Subject, takeUntil, type Subscriber } from "rxjs";
import { presentFields } from "../protocol/present-fields.js";
import { PROTOCOL_VERSION } from "../protocol/protocol-version.js";
import { EventType, type AGUIEvent, type RunAgentInput } from "../protocol/vocabulary.js";
import { closingEvent, rowOf } from "./bracket-kinds.js";
import type { Bracket } from "./bracket.js";
import { createBracketTable, type BracketTable } from "./bracket-table.js";
import { describeError, type Description } from "./describe-error.js";
import { createResumeEntries } from "./resume-entries.js";
import { RunClosedError } from "./run-closed-error.js";
import { createEndingNotes } from "./run-ending.js";
import { createRunIds } from "./run-ids.js";
import type { RunOptions } from "./run-options.js";
import { createGuardedOutput, createPlainOutput } from "./run-output.js";
import type { StartableSession } from "./run-session.js";
import {
  duplicateRunStarted,
  duplicateStart,
  notOpen,
  openAtFinish,
  runMismatch,
  unknownEvent,
} from "./run-violations.js";

type Phase = "running" | "ending" | "ended" | "left";

/** What the end of a bracket says when its work was cut off without an error. */
const stopped: Description = { message: "Stopped before it had finished.", code: "cancelled" };

/** Makes the session of one subscription: what is open, how far the run is, and how it ends. */
export function createRunSession(
  input: RunAgentInput,
  options: Omit<RunOptions, "stateSchema">,
  subscriber: Subscriber<AGUIEvent>,
): StartableSession {
  const { guard, stop } = options;
  const ownCalls = new Set<string>();
  const table = createBracketTable(ownCalls);
  // What the subscriber has got is less than what was sent when a guard stands between.
  const delivered = guard ? createBracketTable(ownCalls) : table;
  const output = guard
    ? createGuardedOutput({ subscriber, guard, delivered, onRefused })
    : createPlainOutput(subscriber);
  const ids = createRunIds(input, table.hasCall);
  const notes = createEndingNotes(input, ids.nextInterruptId);
  const resume = createResumeEntries(input, options);
  const controller = new AbortController();
  const halted = new Subject<void>();
  let phase: Phase = "running";
  let index = 0;

  const isIn = (other: Phase) => phase === other;
  const describe = (error: unknown) => describeError(error, options.describeError);

  function accept(event: AGUIEvent): void {
    if (phase !== "running") return;
    const row = rowOf(event);
    if (row === undefined) return fail(unknownEvent(event));
    if (row.kind === "run") return endWith(event);
    const bracket = table.observe(event, row);
    if (bracket === undefined && row.role === "closes") return fail(notOpen(event, index, table.open()));
    index += 1;
    output.send(event);
    if (bracket?.builder === "abandoned") closeAbandoned(bracket);
  }

  function closeAbandoned(bracket: Bracket): void {
    if (bracket.open && bracket.seen >= bracket.sent) accept(closingEvent(bracket, stopped));
  }

  const finish = () => end(() => notes.finished(table.unanswered()));
  const cancel = () => end(notes.cancelled, stopped);
  const fail = (error: unknown) => end(() => notes.failed(describe(error)));

  /** A terminal event of the project becomes the run's. */
  function endWith(event: AGUIEvent): void {
    if (event.type === EventType.RUN_ERROR) return end(() => notes.failed(event));
    if (event.type !== EventType.RUN_FINISHED) return fail(duplicateRunStarted(event, index));
    if (event.runId !== input.runId || event.threadId !== input.threadId) {
      return fail(runMismatch(event, index, input));
    }
    end(() => notes.finished(table.unanswered(), event));
  }

  function end(compose: () => AGUIEvent, cut?: Description): void {
    if (phase !== "running") return;
    phase = "ending";
    halt();
    closeAll(table, lastEvent(compose), cut);
  }

  /** The terminal event; an error where the run cannot finish as it was told to. */
  function lastEvent(compose: () => AGUIEvent): AGUIEvent {
    try {
      const last = compose();
      if (last.type === EventType.RUN_ERROR) return last;
      const unclosable = table.open().filter((bracket) => !table.mayClose(bracket));
      if (unclosable.length > 0) throw openAtFinish(index, unclosable);
      resume.warnOfUnknown();
      return last;
    } catch (error) {
      return notes.failed(describe(error));
    }
  }

  /** Closes what is open, innermost first, and sends the terminal event. */
  function closeAll(brackets: BracketTable, last: AGUIEvent, cut?: Description): void {
    const failure = last.type === EventType.RUN_ERROR ? last : cut;
    for (const bracket of brackets.open()) {
      if (brackets.mayClose(bracket)) output.send(closingEvent(bracket, failure));
    }
    for (const bracket of table.open()) bracket.open = false; // handles ask it
    if (isIn("ending")) phase = "ended";
    output.send(last);
  }

  function onRefused(error: unknown): void {
    phase = "ending";
    output.bypass();
    halt();
    closeAll(delivered, notes.failed(describe(error)));
  }

  /** Stops what works below: the signal first, then the project. */
  function halt(): void {
    controller.abort();
    halted.next();
  }

  function leave(): void {
    if (!output.done) phase = "left";
    halt();
    output.leave();
    stop?.removeEventListener("abort", cancel);
  }

  function isListening(): boolean {
    if (phase === "ended") throw new RunClosedError(input.runId);
    return phase === "running";
  }

  return {
    input,
    signal: controller.signal,
    ids,
    notes,
    resume,
    isListening,
    describe,
    reserve: (opening) => table.reserve(opening, "builder"),
    open(opening) {
      if (!isListening()) return undefined;
      if (table.isOpen(opening)) throw duplicateStart(opening, index, table.open());
      const bracket = table.reserve(opening, "handle");
      accept(opening);
      return bracket;
    },
    close(bracket) {
      if (bracket.open) accept(closingEvent(bracket));
    },
    emit(event) {
      if (isListening()) accept(event);
    },
    abandon(bracket) {
      bracket.builder = "abandoned";
      if (phase === "running") closeAbandoned(bracket);
    },
    start(project) {
      subscriber.add(leave);
      if (!isIn("running")) return;
      stop?.addEventListener("abort", cancel);
      output.start();
      output.send(runStarted(input));
      index += 1;
      if (stop?.aborted) cancel();
      if (!isIn("running")) return;
      // The one place where a run subscribes to its project: handles send into the same stream.
      defer(project).pipe(takeUntil(halted)).subscribe({ next: accept, error: fail, complete: finish });
    },
  };
}

function runStarted({ threadId, runId, parentRunId }: RunAgentInput): AGUIEvent {
  const type = EventType.RUN_STARTED;
  // The version of the vocabulary that events are made of: a higher one has clients of 1.0 warn of every run.
  return presentFields({ type, threadId, runId, protocolVersion: PROTOCOL_VERSION, parentRunId });
}
