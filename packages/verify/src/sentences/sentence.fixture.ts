import type { Input, Json } from "./wire.fixture.js";

/** A sentence of the protocol, a stream that shows it, and what has to follow. */
export interface Sentence {
  readonly says: string;
  readonly stream: readonly unknown[];
  readonly input?: Input;
  /** The rule that the stream breaks, or the path of what is malformed. Default: the stream is legal. */
  readonly refused?: string;
  /** The index of the event at fault. */
  readonly at?: number;
  /** The codes of all warnings, each once. Default none. */
  readonly warned?: readonly string[];
  /** Where, of all warnings that name a path. */
  readonly paths?: readonly string[];
  /** The types of the events that reach the views. */
  readonly delivered?: string;
  /** Parts of events that reach the views, by their index there. */
  readonly carried?: Readonly<Record<number, Json>>;
  /** All messages in the end. */
  readonly messages?: readonly Json[];
  readonly state?: unknown;
  /** What else the last view shows. */
  readonly view?: Json;
  /** The rule that a producer breaks by it. Default: what a consumer refuses. */
  readonly producer?: string;
}
