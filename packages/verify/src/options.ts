import type { AGUIEvent, RunAgentInput, WarningOptions } from "@agrx/core";

/**
 * Whose duties are checked.
 *
 * - `producer`: what an agent must not send.
 * - `consumer`: what a client must refuse; what it has to tolerate passes, with a warning where one is due.
 */
export type Profile = "producer" | "consumer";

/** Checks the fields of one event; `schemas` of `@agrx/verify/schemas` is one. */
export interface EventSchemas {
  /** Calls `report` once when the event is malformed. */
  check(event: AGUIEvent, report: ReportMalformation): void;
}

/**
 * Is told of a malformed event.
 *
 * @param path - where in the event, as a dotted path such as `messages.2.role`; "" for the event itself
 * @param text - what is wrong and what was expected, to follow the event's type; no values
 */
export type ReportMalformation = (path: string, text: string) => void;

/** The options of `verify`, `diagnose`, `repair` and `createVerifier`. */
export interface VerifyOptions extends WarningOptions {
  /** Whose duties are checked. Default `consumer`. */
  readonly profile?: Profile;
  /**
   * The input that asked for the stream's first run: that run has to carry its ids, its messages and their
   * calls are known, and its tools are the client's to answer. Default: none of that is checked.
   */
  readonly input?: Partial<RunAgentInput>;
  /** Checks each event's fields first: `schemas` of `@agrx/verify/schemas`. Default: fields are taken as typed. */
  readonly schemas?: EventSchemas;
}
