import { parseEvents, type AGUIEvent, type Warning } from "@agrx/core";
import { Subject, type Subscription } from "rxjs";
import { diagnose, type Diagnosis } from "../diagnose.js";
import type { Profile } from "../options.js";
import type { Repair } from "../repair-report.js";
import { repair } from "../repair.js";
import type { Entry } from "./event-reader.js";
import type { Finding } from "./finding.js";

/** Checks a stream entry by entry; see {@link createStreamCheck}. */
export interface StreamCheck {
  /** How many events were read. */
  readonly count: number;
  observe(entry: Entry): void;
  /** Says that no more comes. */
  finish(): void;
}

/** What a check is made with. */
export interface StreamCheckOptions {
  readonly profile: Profile;
  /** Told of each finding, as it is made. */
  readonly report: (finding: Finding) => void;
  /** Takes the mended stream; without it nothing is mended. */
  readonly mended?: ((event: unknown) => void) | undefined;
}

/** Makes a check that tells its findings as it goes: the shape of each event first, then the order of all. */
export function createStreamCheck({ profile, report, mended }: StreamCheckOptions): StreamCheck {
  let line = 0;
  let index = 0;
  let type: string | undefined;
  /** The value that is being parsed: it passes as it is when it is no event. */
  let current: unknown;

  /** A finding about what is being read; without a severity of its own it breaks a rule. */
  const find = (rule: string, message: string, id?: string, severity: Finding["severity"] = "error") =>
    report({
      ...{ line, severity, rule },
      ...(type !== undefined && { type }),
      ...(id !== undefined && { id }),
      ...{ index, message },
    });
  const onWarning = ({ code, message, id }: Warning) => find(code, message, id, "warning");

  const events = new Subject<AGUIEvent>();
  const onRepair = ({ change, rule, message, id }: Repair) =>
    find(rule, message, id, change === "none" ? "error" : "mended");
  const error = (cause: unknown) => {
    throw cause;
  };
  if (mended) {
    events.pipe(repair({ profile, onWarning, onRepair })).subscribe({ next: mended, error });
  } else {
    const next = ({ violations }: Diagnosis) => {
      for (const { rule, message, id } of violations) find(rule, message, id);
    };
    events.pipe(diagnose({ profile, onWarning })).subscribe({ next, error });
  }

  let values = new Subject<unknown>();
  let parsing: Subscription;
  /** Parsing ends with the first malformed event, and begins anew behind it. */
  function parse(): void {
    values = new Subject();
    parsing = values.pipe(parseEvents({ onWarning })).subscribe({
      next: (event) => events.next(event),
      error(error: unknown) {
        find("invalid-event", (error as Error).message);
        mended?.(current);
        parse();
      },
    });
  }
  parse();

  return {
    get count() {
      return index;
    },
    observe(entry) {
      line = entry.line;
      type = typeOf(entry.value);
      if (entry.problem !== undefined) {
        report({ line, severity: "unreadable", rule: "unreadable", message: `The event ${entry.problem}.` });
        return;
      }
      current = entry.value;
      values.next(entry.value);
      index++;
    },
    finish() {
      type = undefined;
      parsing.unsubscribe();
      events.complete();
    },
  };
}

function typeOf(value: unknown): string | undefined {
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
  return typeof type === "string" ? type.slice(0, 64) : undefined;
}
