/** Something the protocol says to tolerate but to tell: data, never an error. */
export interface Warning {
  /** Stable name of what happened: a rule id of `@agrx/verify`, or the name its reporter documents. */
  readonly code: string;
  /** What came, what was done with it and how to mend it; holds ids and paths, never payloads. */
  readonly message: string;
  /** Position of the event in the reporter's input, from 0. */
  readonly index?: number;
  /** Where in the event, as a dotted path such as `messages.2.role`. */
  readonly path?: string;
  /** Id of the message, call, activity or subagent concerned. */
  readonly id?: string;
}

/** What everything that can warn takes. */
export interface WarningOptions {
  /** Receives each warning, synchronously. Without it warnings are dropped; nothing is ever logged. */
  readonly onWarning?: (warning: Warning) => void;
}
