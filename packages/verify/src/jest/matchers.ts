import type { RuleId } from "@agrx/core";
import type { VerifyOptions } from "../options.js";
import { eventTable, findingLines } from "./event-table.js";
import { report, type Finding, type Report } from "./report.js";

/** What {@link RunMatchers.toBreakRule} may ask besides the rule. */
export interface BreakRuleOptions extends VerifyOptions {
  /** Position of the event at fault, from 0; for the end of the stream, the number of events. */
  readonly index?: number;
  /** Id of the message, call, step, ... concerned. */
  readonly id?: string;
}

/** What a matcher gives: at once for an array of events, else a promise to await. */
export type Verdict<R, T> = T extends readonly unknown[] ? R : Promise<void>;

/** The matchers for runs, as `expect` has them after `expect.extend(matchers)`. */
export interface RunMatchers<R, T> {
  /**
   * Checks that a run breaks no rule: an array of events, or an Observable of them (or a promise, or an async
   * iterable), which is awaited until it completes.
   *
   * Warnings do not count. An Observable that errors fails the test with its error.
   *
   * @param options - as of `verify`: `profile` (default "consumer"), `input`, `schemas`, `onWarning`
   */
  toBeLegalRun(options?: VerifyOptions): Verdict<R, T>;
  /**
   * Checks that a run breaks a rule somewhere; other rules may be broken too. A warning of the rule counts, and
   * so does the OrderingError of an Observable that was verified before.
   *
   * @param rule - id of the rule, as `not-open`
   * @param where - `index` and `id` that the violation has to have, and the options of `verify`
   */
  toBreakRule(rule: RuleId, where?: BreakRuleOptions): Verdict<R, T>;
}

declare global {
  // Where @types/jest keeps its matchers; vitest 3 takes in what others put here.
  // eslint-disable-next-line @typescript-eslint/no-namespace
  namespace jest {
    // eslint-disable-next-line @typescript-eslint/no-empty-object-type
    interface Matchers<R, T = {}> extends RunMatchers<R, T> {}
  }
}

/** What jest and vitest ask of a matcher's answer. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/**
 * Matchers for runs of events, for jest and vitest: `expect.extend(matchers)`, once, in a set-up file.
 *
 * A failing one prints the run as a short table and points at the event.
 *
 * Importing this entry types the matchers for jest's global `expect` and for vitest 3. Elsewhere one
 * declaration does, with the module `"expect"` for `@jest/globals` and `"vitest"` for later vitest:
 * `declare module "expect" { interface Matchers<R, T> extends RunMatchers<R, T> {} }`.
 *
 * @example
 * ```ts
 * import { events } from "@agrx/core";
 * import { matchers } from "@agrx/verify/jest";
 *
 * // In a test: expect.extend(matchers), then expect(run).toBreakRule("not-open", { index: 1 }).
 * const run = [events.runStarted({ threadId: "t", runId: "r" }), events.toolCallEnd({ toolCallId: "c" })];
 * const verdict = matchers.toBreakRule(run, "not-open", { index: 1 });
 * console.log("pass" in verdict && verdict.pass); // true
 * ```
 */
export const matchers = {
  toBeLegalRun(received: unknown, options: VerifyOptions = {}): MatcherResult | Promise<MatcherResult> {
    return judge("toBeLegalRun", received, options, (run) => {
      const violations = run.findings.filter(({ severity }) => severity === "error");
      return violations.length === 0
        ? { pass: true, problem: "Expected the run to break a rule, and it breaks none.", run }
        : { pass: false, problem: findingLines(violations), run: { ...run, findings: violations } };
    });
  },

  toBreakRule(
    received: unknown,
    rule: RuleId,
    { index, id, ...options }: BreakRuleOptions = {},
  ): MatcherResult | Promise<MatcherResult> {
    const where = `${index === undefined ? "" : ` at event ${index}`}${id === undefined ? "" : ` for id ${JSON.stringify(id)}`}`;
    const isWanted = (finding: Finding) =>
      finding.rule === rule &&
      (index === undefined || finding.index === index) &&
      (id === undefined || finding.id === id);
    return judge("toBreakRule", received, options, (run) => {
      const wanted = run.findings.filter(isWanted);
      if (wanted.length > 0) {
        const problem = `Expected the run not to break ${rule}${where}, but it does.\n${findingLines(wanted)}`;
        return { pass: true, problem, run: { ...run, findings: wanted } };
      }
      const instead =
        run.findings.length === 0 ? "It breaks no rule." : `It breaks:\n${findingLines(run.findings)}`;
      return { pass: false, problem: `Expected the run to break ${rule}${where}.\n${instead}`, run };
    });
  },
};

function judge(
  name: string,
  received: unknown,
  options: VerifyOptions,
  decide: (run: Report) => { pass: boolean; problem: string; run: Report },
): MatcherResult | Promise<MatcherResult> {
  const conclude = (report: Report): MatcherResult => {
    const { pass, problem, run } = decide(report);
    return {
      pass,
      message: () => `expect(run).${pass ? "not." : ""}${name}()\n\n${problem}\n\n${eventTable(run)}`,
    };
  };
  if (!isRun(received)) {
    const got = received === null ? "null" : typeof received;
    throw new TypeError(
      `expect(...).${name}() takes a run: an array of events, or an Observable, promise or async iterable of them. It got ${got}.`,
    );
  }
  const made = report(received, options);
  return "then" in made ? made.then(conclude) : conclude(made);
}

function isRun(received: unknown): boolean {
  if (typeof received !== "object" && typeof received !== "function") return false;
  if (received === null) return false;
  return (
    Array.isArray(received) ||
    Symbol.asyncIterator in received ||
    Symbol.iterator in received ||
    "subscribe" in received ||
    "then" in received
  );
}
