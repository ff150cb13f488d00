import { EMPTY, from, ignoreElements, tap, type Observable } from "rxjs";
import type { AGUIEvent, RunFinishedOutcome } from "../protocol/vocabulary.js";
import { isEventSource, isPromiseLike } from "../stream/event-source.js";
import { fromSource } from "../stream/from-source.js";
import { RunUsageError } from "./run-usage-error.js";

/**
 * Reads what a project gave as events; a promise's value is never an event but goes to `onOutcome`.
 *
 * @throws RunUsageError `invalid-project` when it is neither events nor a promise
 */
export function projectEvents(
  given: unknown,
  onOutcome: (outcome: RunFinishedOutcome) => void,
): Observable<AGUIEvent> {
  if (given === undefined || given === null) return EMPTY;
  if (isPromiseLike(given)) {
    return from(given).pipe(
      tap((value) => {
        if (isOutcome(value)) onOutcome(value);
      }),
      ignoreElements(),
    );
  }
  if (isEventSource(given)) return fromSource(given as Iterable<AGUIEvent>);
  throw invalid(typeof given === "object" ? "an object" : `a ${typeof given}`);
}

/** Whether a promise's value is an outcome; a plain value is nothing, anything else would be lost in silence. */
function isOutcome(value: unknown): value is RunFinishedOutcome {
  if (typeof value !== "object" || value === null) return false;
  if (isEventSource(value)) throw invalid("a promise of events");
  const { type } = value as { readonly type?: unknown };
  if (type === "success" || type === "interrupt" || type === "cancelled") return true;
  throw invalid("a promise of something else than an outcome");
}

const invalid = (came: string) =>
  new RunUsageError(
    "invalid-project",
    `A run's project gave ${came}. Return an Observable or iterable of events, or a promise of an outcome or nothing.`,
  );
