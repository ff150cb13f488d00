import type { AGUIEvent, RuleId, RunAgentInput } from "@agrx/core";

/**
 * What a broken rule is: `error` is a violation, `warn` a warning to `onWarning`, `off` neither.
 */
export type Severity = "error" | "warn" | "off";

/** A stream that keeps a rule and one that breaks it. */
export interface RuleExamples {
  readonly legal: readonly AGUIEvent[];
  readonly illegal: readonly AGUIEvent[];
}

/** One way to break a rule. */
export interface RuleCase {
  /** What must not happen, in one sentence. */
  readonly summary: string;
  /** What it is in each profile, without options beside it. */
  readonly severity: { readonly producer: Severity; readonly consumer: Severity };
  /** The page of the AG-UI specification 1.1 that it comes from, with its section. */
  readonly spec: string;
  readonly examples: RuleExamples;
  /** The run's input, where the rule needs it. */
  readonly input?: Partial<RunAgentInput>;
  /** What has to be asked for before it is looked at; it is an error then. */
  readonly needs?: string;
}

/** A rule of the catalogue: its gravest case, and the others. */
export interface Rule extends RuleCase {
  /** The stable name: an `OrderingError`'s `rule`, a violation's, a warning's `code`. */
  readonly id: RuleId;
  readonly cases?: readonly RuleCase[];
}
