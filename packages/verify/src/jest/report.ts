import { isOrderingError, type AGUIEvent } from "@agrx/core";
import { from, type ObservableInput } from "rxjs";
import { diagnose } from "../diagnose.js";
import type { VerifyOptions } from "../options.js";

/** A rule that a run breaks, or that it was warned of. */
export interface Finding {
  readonly rule: string;
  /** Position in the run, from 0; the number of events for its end. */
  readonly index: number;
  readonly id: string | undefined;
  readonly message: string;
  readonly severity: "error" | "warn";
}

/** A run as a matcher sees it. */
export interface Report {
  readonly events: readonly AGUIEvent[];
  readonly findings: readonly Finding[];
}

/** Diagnoses a run: at once when it is an array, else when its source completes. */
export function report(received: unknown, options: VerifyOptions): Report | Promise<Report> {
  if (Array.isArray(received)) {
    let made: Report | undefined;
    follow(received as AGUIEvent[], options, {
      done: (report) => (made = report),
      failed: (error) => {
        throw error;
      },
    });
    if (made) return made;
  }
  return new Promise((done, failed) =>
    follow(received as ObservableInput<AGUIEvent>, options, { done, failed }),
  );
}

function follow(
  source: ObservableInput<AGUIEvent>,
  options: VerifyOptions,
  to: { done: (report: Report) => void; failed: (error: unknown) => void },
): void {
  const events: AGUIEvent[] = [];
  const findings: Finding[] = [];
  const onWarning: NonNullable<VerifyOptions["onWarning"]> = (warning) => {
    const { code, index = events.length, id, message } = warning;
    findings.push({ rule: code, index, id, message, severity: "warn" });
    options.onWarning?.(warning);
  };
  from(source)
    .pipe(diagnose({ ...options, onWarning }))
    .subscribe({
      next({ event, violations }) {
        if (event) events.push(event);
        for (const { rule, index, id, message } of violations) {
          findings.push({ rule, index, id, message, severity: "error" });
        }
      },
      error(error: unknown) {
        // A run that was verified on its way tells its violation as an error.
        if (!isOrderingError(error)) return to.failed(error);
        const { rule, index, id, message, event } = error;
        if (event && index === events.length) events.push(event);
        findings.push({ rule, index, id, message, severity: "error" });
        to.done({ events, findings });
      },
      complete: () => to.done({ events, findings }),
    });
}
