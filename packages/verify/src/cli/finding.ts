/** Something the command has to say about the input. */
export interface Finding {
  /** Line in the input, from 1; for the end of the stream, the last line. */
  readonly line: number;
  /** `error` breaks a rule, `warning` does not, `unreadable` is no event; `mended` is what a repair did. */
  readonly severity: "error" | "warning" | "unreadable" | "mended";
  /** The broken rule, or the code of the warning. */
  readonly rule: string;
  /** The event's type; absent for the end of the stream and for what is no event. */
  readonly type?: string;
  readonly id?: string;
  /** Position of the event in the stream, from 0. */
  readonly index?: number;
  /** What came, what was expected and how to mend it. */
  readonly message: string;
}
