import { CodedError } from "../protocol/coded-error.js";

/** What was wrong with an event, and where. */
export interface InvalidEvent {
  /** Where in the event, as a dotted path such as `messages.2.role`; empty for the event itself. */
  readonly path: string;
  /** Position of the event in the operator's input, from 0. */
  readonly index: number;
  /** The event's type; undefined when it has none. */
  readonly type: string | undefined;
}

/**
 * An event came whose known fields are not what the protocol says. Its message names types and paths, never
 * values.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class InvalidEventError extends CodedError<"invalid-event", InvalidEvent> implements InvalidEvent {
  override readonly name = "InvalidEventError";
  declare readonly path: string;
  declare readonly index: number;
  declare readonly type: string | undefined;

  constructor(message: string, where: InvalidEvent) {
    super("invalid-event", message, where);
  }
}
