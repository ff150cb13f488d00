import type { Context, Message, Tool } from "@agrx/core";

/** What a model is asked; a `RunAgentInput` is one. */
export interface ModelRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly Tool[];
  /** Facts for the model, told with the system's words. */
  readonly context?: readonly Context[];
  /** The agent's own words to the model, told before every system message. */
  readonly instructions?: string;
}
