import { parseEvents, type AGUIEvent } from "@agrx/core";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { from } from "rxjs";
import { diagnose } from "./diagnose.js";

const folder = join(__dirname, "../../../../shared/conformance/ag-ui-validate");

/** Which of our rules answers one of the linter's, for a consumer, or why none does. */
type Answer =
  | { readonly rule: string; readonly profile?: "producer" }
  /** `besides`: what else the fixture breaks, which the linter takes for a consequence. */
  | { readonly none: string; readonly besides?: string };

const inTransport = "is about bytes or time on the wire: decodeSse, fromResponse and withTimeout see those";
const inViews = "is about values: scanRun and scanState warn of a patch that does not apply";
const answers: Record<string, Answer> = {
  AGUI001: { rule: "not-started" },
  AGUI002: { rule: "duplicate-run-started" },
  AGUI003: { rule: "truncated" },
  AGUI004: { rule: "run-ended" },
  AGUI005: { none: "a RUN_ERROR may follow RUN_FINISHED (lifecycle#after-a-run-closes)" },
  AGUI006: { rule: "not-open" },
  AGUI007: { rule: "open-at-finish" },
  AGUI008: { rule: "run-mismatch" },
  AGUI101: { rule: "not-open" },
  AGUI102: { rule: "not-open" },
  AGUI103: { rule: "open-at-finish" },
  AGUI104: {
    none: "a new START for a closed message appends to it (streaming#open-content-close)",
    besides: "open-at-finish",
  },
  AGUI105: { none: "every delta may be empty (basic#absent-means-absent)" },
  AGUI106: { rule: "duplicate-start" },
  AGUI201: { rule: "not-open" },
  AGUI202: { rule: "not-open" },
  AGUI203: { rule: "open-at-finish" },
  AGUI204: { none: "arguments are text, which the protocol does not validate (tool-calls)" },
  AGUI205: {
    none: "a new START for a closed call appends to it (streaming#open-content-close)",
    besides: "open-at-finish",
  },
  AGUI206: { rule: "out-of-order" },
  AGUI207: { rule: "unknown-id", profile: "producer" },
  AGUI208: { none: "an unseen parent message is created under that id (tool-calls)" },
  AGUI301: { none: "the base of a first delta is the input's state, or {} (events/state)" },
  AGUI302: { none: inViews },
  AGUI303: { none: "a malformed patch is an InvalidEventError of parseEvents (basic/processing)" },
  AGUI304: { none: "a snapshot is always adopted (events/state)" },
  AGUI305: { none: "which features a run has to show is no rule of the protocol" },
  AGUI401: { rule: "not-open" },
  AGUI402: { rule: "open-at-finish" },
  AGUI501: { none: inTransport },
  AGUI502: { none: inTransport },
  AGUI503: { none: "an unknown event is dropped with a warning by parseEvents (basic/processing)" },
  AGUI504: {
    none: "a malformed event is an InvalidEventError of parseEvents, or of verify({ schemas })",
    besides: "truncated",
  },
  AGUI505: { none: inTransport },
  AGUI506: { none: inTransport },
  AGUI507: { none: inTransport },
  AGUI508: { none: inTransport },
  AGUI901: { none: "RAW may wrap anything (events/passthrough)" },
  AGUI902: { none: "timestamps are optional (basic/events)" },
  AGUI903: { none: "a CUSTOM name is the producer's own (events/passthrough)" },
};

function eventsOf(file: string): AGUIEvent[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  const events: AGUIEvent[] = [];
  from(lines.flatMap(valueOf))
    .pipe(parseEvents())
    .subscribe({ next: (event) => events.push(event), error: () => undefined });
  return events;
}

/** A line that is no JSON is a matter of the wire. */
function valueOf(line: string): unknown[] {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}

function brokenRules(events: readonly AGUIEvent[], profile: "producer" | "consumer" = "consumer"): string[] {
  const broken: string[] = [];
  from(events)
    .pipe(diagnose({ profile }))
    .subscribe(({ violations }) => broken.push(...violations.map(({ rule }) => rule)));
  return broken;
}

const exists = existsSync(folder);
if (!exists) process.stdout.write("../shared/conformance/ag-ui-validate is not there: skipped\n");
const list = (part: string) => (exists ? readdirSync(join(folder, part)) : []);
const invalid = list("invalid").map((name) => [name.split("-")[0]!, join(folder, "invalid", name)] as const);
const valid = list("valid").filter((file) => file.endsWith(".jsonl"));

describe("the fixtures of a linter made for an older protocol", () => {
  (exists ? it : it.skip)("have each of their rules answered, or a reason why not", () => {
    expect(Object.keys(answers).sort()).toEqual(invalid.map(([rule]) => rule).sort());
  });

  if (!exists) return;
  it.each(invalid)("%s is answered as the table says", (linterRule, path) => {
    const answer = answers[linterRule]!;
    const stream = join(path, "stream.jsonl");
    if (!existsSync(stream)) {
      // A scenario of bytes and pauses: only what is about the wire comes as one.
      expect(answer).toEqual({ none: inTransport });
      return;
    }
    const broken = brokenRules(eventsOf(stream), "rule" in answer ? answer.profile : undefined);
    if ("rule" in answer) expect(broken).toContain(answer.rule);
    else expect(broken).toEqual(answer.besides === undefined ? [] : [answer.besides]);
  });

  it.each(valid)("%s is legal", (file) => {
    expect(brokenRules(eventsOf(join(folder, "valid", file)))).toEqual([]);
  });
});
