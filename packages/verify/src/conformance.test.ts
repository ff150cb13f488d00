import {
  expandChunks,
  parseEvents,
  scanRun,
  type AGUIEvent,
  type RunAgentInput,
  type RunView,
} from "@agrx/core";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { from, tap } from "rxjs";
import { verify } from "./verify.js";

const folder = join(__dirname, "../../../../shared/conformance/official");

/** The reference client's words for a refusal, and the rule or the error of ours that says the same. */
const refusals: Record<string, string> = {
  "chunk-conflicting-role-fatal": "chunk-conflict",
  "chunk-conflicting-tool-name-fatal": "chunk-conflict",
  "content-without-start-fatal": "not-open",
  "custom-closes-chunk-stream-fatal": "chunk-without-id",
  "duplicate-interrupt-id-fatal": "invalid-outcome",
  "event-after-run-finished-fatal": "run-ended",
  "first-chunk-missing-id-fatal": "chunk-without-id",
  "first-event-not-run-started-fatal": "not-started",
  "first-tool-chunk-missing-name-fatal": "chunk-without-id",
  "malformed-known-field-fatal": "invalid-event",
  "nested-run-started-fatal": "duplicate-run-started",
  "open-message-at-run-finished-fatal": "open-at-finish",
  "reasoning-discipline-verified": "not-open",
  "reasoning-message-wrong-role-fatal": "invalid-event",
  "run-finished-with-active-subagent-fatal": "open-at-finish",
  "run-finished-wrong-run-id-fatal": "run-mismatch",
  "run-finished-wrong-thread-id-fatal": "run-mismatch",
  "second-run-on-another-thread-fatal": "run-mismatch",
  "step-finished-without-start-fatal": "not-open",
  "subagent-attribution-mismatch-fatal": "owner-mismatch",
  "subagent-finished-unstarted-fatal": "not-open",
  "subagent-started-missing-name-fatal": "invalid-event",
  "truncated-stream-fails-the-run": "truncated",
  "unknown-outcome-array-fatal": "invalid-event",
};

/** What this chain leaves out, and why. */
const leftOut: Record<string, string> = {
  "current-peer-declares-protocol-version": "is about the request: the suite of connect plays it",
  "era-pinned-peer-omits-protocol-version": "is about the request: the suite of connect plays it",
  "era-0-0-39-flattens-content": "downgrades a request for an old peer, which the protocol only permits",
  "era-0-0-47-upgrades-binary-content":
    "is about the request to an old peer, which the protocol only permits",
  "era-0-0-57-subagent-dropped-with-warning": "downgrades for an old peer, which the protocol only permits",
  "era-current-peer-keeps-modern-content": "is about the request to a named peer",
  "unknown-enum-value-role-fatal":
    "pins a gap of the reference client; the protocol wants the value stripped",
  "truncated-run-reported-as-completed": "contradicts the newer truncated-stream-fails-the-run",
};

interface Case {
  readonly name: string;
  readonly description: string;
  readonly input?: Partial<RunAgentInput>;
  readonly stream: readonly unknown[];
  readonly expect: {
    readonly outcome: "completed" | "failed";
    readonly runError?: boolean | string;
    readonly eventTypes?: readonly string[];
    readonly eventTypesAbsent?: readonly string[];
    readonly eventPaths?: Readonly<Record<string, unknown>>;
    readonly eventAbsentPaths?: readonly string[];
    readonly messageCount?: number;
    readonly messages?: readonly object[];
    readonly state?: unknown;
    readonly warnings?: readonly string[];
    readonly noWarnings?: boolean;
  };
}

/** The consumer's chain over a stream of the corpus. */
function play({ stream, input = {} }: Case) {
  const warnings: string[] = [];
  const events: AGUIEvent[] = [];
  let view: RunView | undefined;
  let error: { rule?: string; code?: string } | undefined;
  const options = { onWarning: ({ message }: { message: string }) => void warnings.push(message) };
  from(stream)
    .pipe(
      parseEvents(options),
      expandChunks(options),
      verify(options),
      tap((event) => events.push(event)),
      scanRun({ messages: input.messages ?? [], state: input.state as unknown }, options),
    )
    .subscribe({
      next: (next) => (view = next),
      error: (cause: { rule?: string; code?: string }) => (error = cause),
    });
  return { warnings, events, view, error };
}

const at = (events: readonly AGUIEvent[], path: string) =>
  path
    .split(".")
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], events);

/** Objects match by the keys named, arrays also by length. */
function matching(wanted: unknown): unknown {
  if (Array.isArray(wanted)) return wanted.map(matching);
  if (typeof wanted !== "object" || wanted === null) return wanted;
  const members = Object.entries(wanted).map(([key, value]) => [key, matching(value)] as const);
  return expect.objectContaining(Object.fromEntries(members)) as unknown;
}

const cases = existsSync(folder)
  ? readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")) as Case)
  : [];
if (cases.length === 0) process.stdout.write("../shared/conformance/official is not there: skipped\n");

describe("the protocol's own conformance streams", () => {
  const played = cases.filter(({ name }) => !(name in leftOut)).map((each) => [each.name, each] as const);

  (cases.length > 0 ? it : it.skip)("are all played or left out for a reason", () => {
    const names = new Set(cases.map(({ name }) => name));
    expect(Object.keys(leftOut).filter((name) => !names.has(name))).toEqual([]);
    const refused = played.filter(([, each]) => each.expect.outcome === "failed").map(([name]) => name);
    expect(Object.keys(refusals).sort()).toEqual(refused.sort());
  });

  if (played.length === 0) return;
  it.each(played)("%s", (name, each) => {
    const { events, warnings, view, error } = play(each);
    const wanted = each.expect;
    const refusal = error?.rule ?? error?.code;
    expect(refusal).toBe(wanted.outcome === "failed" ? refusals[name] : undefined);

    const types = events.map(({ type }): string => type);
    if (wanted.eventTypes) expect(types).toEqual(wanted.eventTypes);
    for (const type of wanted.eventTypesAbsent ?? []) expect(types).not.toContain(type);
    for (const [path, value] of Object.entries(wanted.eventPaths ?? {}))
      expect(at(events, path)).toEqual(value);
    for (const path of wanted.eventAbsentPaths ?? []) expect(at(events, path)).toBeUndefined();
    if (wanted.messageCount !== undefined) expect(view?.messages ?? []).toHaveLength(wanted.messageCount);
    if (wanted.messages) expect(view?.messages).toEqual(matching(wanted.messages));
    if ("state" in wanted) expect(view?.state).toEqual(matching(wanted.state));
    if (wanted.noWarnings) expect(warnings).toEqual([]);
    if (wanted.warnings?.length) expect(warnings).not.toEqual([]);
    if (wanted.runError) {
      const message = wanted.runError === true ? "" : wanted.runError;
      const failure = events.find((event) => event.type === ("RUN_ERROR" as AGUIEvent["type"]));
      expect(failure).toMatchObject({ message: expect.stringContaining(message) as unknown });
    }
  });
});
