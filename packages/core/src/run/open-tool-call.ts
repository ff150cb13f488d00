import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ContentPart, Metadata, AGUIEvent } from "../protocol/vocabulary.js";

/** What a tool call may be opened with. */
export interface ToolCallOptions {
  /** Id of the call; default the run's next one, `<runId>-call-1`. */
  readonly toolCallId?: string | undefined;
  /** Id of the tool message that will hold the result; default the run's next one, `<runId>-msg-1`. */
  readonly resultMessageId?: string | undefined;
  /** The assistant message that holds the call; without it the call stands on a message of its own. */
  readonly parentMessageId?: string | undefined;
  /** The subagent that makes the call; default the run's own agent. */
  readonly subagentRunId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** A tool call whose bracket is open: what the code that answers it may do inside the bracket. */
export interface OpenToolCall<State = unknown> {
  readonly id: string;
  readonly name: string;
  /** Id of the tool message that holds the result; fixed when the call is made, with or without a result. */
  readonly resultMessageId: string;
  /** Aborts when the run ends, when its subscriber leaves, or when the builder of this call is unsubscribed. */
  readonly signal: AbortSignal;
  /** The arguments' text so far, exactly as sent. */
  readonly rawArgs: string;
  /**
   * The value of the arguments; no text at all is `{}` once no more can come.
   *
   * @throws RunUsageError `incomplete-arguments` while the text is an unfinished JSON text, saying what is
   * missing; `invalid-arguments` when it is no JSON
   */
  parseArgs<Args = unknown>(): Args;
  /**
   * The value of the arguments, validated by a zod schema or any other Standard Schema and typed by it.
   *
   * @throws RunUsageError `incomplete-arguments` while the text is an unfinished JSON text, saying what is
   * missing; `invalid-arguments` when it is no JSON, or when the schema refuses the value; `async-schema` when
   * the schema validates asynchronously
   */
  parseArgs<Schema extends StandardSchemaV1>(schema: Schema): StandardSchemaV1.InferOutput<Schema>;
  /** The run's state now. */
  readonly state: State;
  /** Publishes `recipe(state)` inside the bracket; `recipe` must not change what it is given. */
  updateState(recipe: (state: State) => State): void;
  /** Publishes a whole new state inside the bracket. */
  setState(next: State): void;
  /** Sends any event inside the bracket, such as progress. */
  emit(event: AGUIEvent): void;
}

/**
 * A tool call driven by hand: START went out when it was opened, events go out live.
 *
 * Leaving a `using` block, also by an exception, ends the call once. A call that is ended without a
 * result is left to the client.
 */
export interface ToolCallHandle<State = unknown> extends OpenToolCall<State>, Disposable {
  /** Sends a piece of the arguments' text. */
  args(fragment: string): void;
  /** Sends a value as JSON, as one piece. */
  argsJson(value: unknown): void;
  /** Ends the arguments. Without a result the client runs the tool. */
  end(): void;
  /** Ends the call if it is open, then answers it; gives the id of the tool message at once. */
  result(content: string | ContentPart[]): string;
  /** As `result`, with a value as JSON text. */
  resultJson(value: unknown): string;
}
