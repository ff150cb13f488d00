import { catchError, concat, defer, finalize, map, of, throwError, type Observable } from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { closingEvent } from "./bracket-kinds.js";
import type { Bracket } from "./bracket.js";
import type { RunSession } from "./run-session.js";
import { toFragments } from "./to-fragments.js";

/**
 * An entity as a cold Observable: its opening event, its body, its closing event, which also goes out before
 * an error passes on. When it is unsubscribed before, the run sends the closing event.
 *
 * @param openings - the opening event; those that follow open what stands around the body
 * @param body - what stands inside; it counts in `bracket.sent` the events that continue the bracket
 */
export function bracketed(
  run: RunSession,
  [opening, ...inner]: readonly AGUIEvent[],
  body: (bracket: Bracket) => Observable<AGUIEvent>,
): Observable<AGUIEvent> {
  return defer(() => {
    const bracket = run.reserve(opening!);
    bracket.sent = 1;

    const close = (error?: unknown): Observable<AGUIEvent> => {
      bracket.builder = "finished";
      return of(closingEvent(bracket, error === undefined ? undefined : run.describe(error)));
    };

    return concat(
      of(opening!),
      defer(() => (inner.length > 0 ? bracketed(run, inner, body) : body(bracket))),
      defer(() => close()),
    ).pipe(
      catchError((error: unknown) =>
        concat(
          close(error),
          throwError(() => error),
        ),
      ),
      finalize(() => {
        if (bracket.builder === "working") run.abandon(bracket);
      }),
    );
  });
}

/** The fragments of a source as events of a bracket, which counts them. */
export function fragmentEvents(
  bracket: Bracket,
  source: unknown,
  toEvent: (delta: string) => AGUIEvent,
): Observable<AGUIEvent> {
  return toFragments(source).pipe(
    map((delta) => {
      bracket.sent += 1;
      return toEvent(delta);
    }),
  );
}
