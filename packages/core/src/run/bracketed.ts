import { catchError, concat, defer, finalize, of, throwError, type Observable } from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { closingEvent } from "./bracket-kinds.js";
import type { Bracket } from "./bracket-table.js";
import type { RunSession } from "./run-session.js";

/**
 * An entity as a cold Observable: its opening event, its body, its closing event, which also goes out before
 * an error passes on. When it is unsubscribed before, the run sends the closing event.
 *
 * @param body - what stands inside; it counts in `bracket.sent` the events that continue the bracket
 * @param close - the closing event of a body that completed; default the plain one
 */
export function bracketed(
  run: RunSession,
  opening: AGUIEvent,
  body: (bracket: Bracket) => Observable<AGUIEvent>,
  close: (bracket: Bracket) => AGUIEvent = closingEvent,
): Observable<AGUIEvent> {
  return defer(() => {
    const bracket = run.reserve(opening);
    bracket.sent = 1;

    const finished = (event: AGUIEvent): Observable<AGUIEvent> => {
      bracket.builder = "finished";
      return of(event);
    };

    return concat(
      of(opening),
      defer(() => body(bracket)),
      defer(() => finished(close(bracket))),
    ).pipe(
      catchError((error: unknown) =>
        concat(
          finished(closingEvent(bracket, run.describe(error))),
          throwError(() => error),
        ),
      ),
      finalize(() => {
        if (bracket.builder === "working") run.abandon(bracket);
      }),
    );
  });
}
