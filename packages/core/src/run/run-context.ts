import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Observable, ObservableInput } from "rxjs";
import type { RunScope } from "../protocol/run-scope.js";
import type {
  AGUIEvent,
  Message,
  Metadata,
  RunFinishedOutcome,
  TokenUsage,
  Tool,
} from "../protocol/vocabulary.js";
import type {
  MessageHandle,
  MessageOptions,
  ReasoningHandle,
  ReasoningOptions,
  StepHandle,
  StepOptions,
} from "./open-handles.js";
import type { OpenToolCall, ToolCallHandle, ToolCallOptions } from "./open-tool-call.js";

/** Events as a source that can be subscribed to; a promise is none, since its value is never an event. */
export type EventSource = Exclude<ObservableInput<AGUIEvent>, PromiseLike<AGUIEvent>>;

/**
 * What a text or a call's arguments are made from: a string is one fragment, an Observable, iterable or
 * promise gives fragments, any other value is sent as JSON.
 */
export type FragmentSource = string | ObservableInput<string> | object | number | boolean | null;

/** How a run shall end, as far as its project says so. */
export interface RunEnding {
  /** Default success; calls that nobody answered are filled in as `pendingToolCallIds`. */
  readonly outcome?: RunFinishedOutcome | undefined;
  /** Any JSON value: what the run gives back. */
  readonly result?: unknown;
  /** Added to what `addUsage` was told. */
  readonly usage?: readonly TokenUsage[] | undefined;
}

/** What `args` of a declarative call says of its parsed value. */
export type ArgsOf<Source> = Source extends string | ObservableInput<unknown> | undefined ? unknown : Source;

/** A declarative tool call; see {@link RunContext.toolCall}. */
export interface ToolCallSpec<State, Source, Args> extends ToolCallOptions {
  /** The arguments: fragments, or a value that is sent as JSON; default none. */
  readonly args?: Source;
  /**
   * Answers the call inside its bracket: what it gives, or the last value of the Promise or Observable, is
   * the result. A string and a list of content parts are sent as they are, any other value as JSON. Without
   * `result` the client runs the tool.
   */
  readonly result?: (args: Args, call: OpenToolCall<State>) => unknown;
}

/** What an activity shows: a JSON object. */
export type ActivityContent = Record<string, unknown>;

/** What an activity may be sent with. */
export interface ActivityOptions {
  /** Id of the activity message; default the run's next message id. */
  readonly messageId?: string | undefined;
  /** Whether the snapshot replaces an activity of that id which the client already has; default true. */
  readonly replace?: boolean | undefined;
  readonly subagentRunId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** What a subagent may be announced with. */
export interface SubagentOptions {
  /** Id of the invocation; default `<runId>-subagent-1`, `-2`, ... */
  readonly subagentRunId?: string | undefined;
  readonly description?: string | undefined;
  readonly parentSubagentRunId?: string | undefined;
  readonly parentToolCallId?: string | undefined;
  readonly parentMessageId?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/**
 * What a run's project works with: the input, the run's ids and state, and the builders of its events.
 *
 * Builders come in two forms. Declarative ones (`text`, `toolCall`, ...) are cold Observables of events that
 * the project composes and returns: each subscription opens an entity of its own, and its end event goes out
 * when the source completes, when it errors and, sent by the run, when the builder is unsubscribed.
 * Handles (`openMessage`, `openToolCall`, ...) send their events into the run at once, for async code.
 *
 * After the run's terminal event whatever sends throws {@link RunClosedError}; after unsubscription it is
 * silent. All members may be taken off the context and called alone.
 */
export interface RunContext<State = unknown> extends RunScope {
  /** The thread's messages so far, from the input. */
  readonly messages: readonly Message[];
  /** The text of the last user message, its text parts joined; undefined without a user message. */
  readonly lastUserText: string | undefined;
  /** The tools that the client offers. */
  readonly tools: readonly Tool[];
  /** The tool that the client offers under this name; undefined when it did not. */
  tool(name: string): Tool | undefined;

  /** The state now: the input's, `{}` without one, then what was published. */
  readonly state: State;
  /**
   * Publishes `recipe(state)`: first as STATE_SNAPSHOT, later as STATE_DELTA unless that is no smaller; when
   * nothing changed, nothing. `recipe` must not change what it is given.
   */
  updateState(recipe: (state: State) => State): void;
  /** Publishes a whole new state, in the same way. */
  setState(next: State): void;

  /** A text message: START, a CONTENT for each fragment, END. */
  text(content: FragmentSource, options?: MessageOptions): Observable<AGUIEvent>;
  /** Reasoning: a span around one reasoning message, both under one id. */
  reasoning(content: FragmentSource, options?: ReasoningOptions): Observable<AGUIEvent>;
  /**
   * A tool call: START, an ARGS for each fragment, what `result` does, END and, with `result`, RESULT.
   * `schema` validates the arguments and types them.
   */
  toolCall<Schema extends StandardSchemaV1>(
    name: string,
    spec: ToolCallSpec<State, FragmentSource | undefined, StandardSchemaV1.InferOutput<Schema>> & {
      readonly schema: Schema;
    },
  ): Observable<AGUIEvent>;
  toolCall<Source extends FragmentSource | undefined = undefined>(
    name: string,
    spec?: ToolCallSpec<State, Source, ArgsOf<Source>>,
  ): Observable<AGUIEvent>;
  /** STEP_STARTED, the events, STEP_FINISHED. */
  step(name: string, events: EventSource, options?: StepOptions): Observable<AGUIEvent>;
  /**
   * An activity: its content as ACTIVITY_SNAPSHOT; an Observable or async iterable of contents gives the
   * first as snapshot and what changes then as ACTIVITY_DELTA.
   */
  activity(
    activityType: string,
    content: ActivityContent | Observable<ActivityContent> | AsyncIterable<ActivityContent>,
    options?: ActivityOptions,
  ): Observable<AGUIEvent>;
  /**
   * A subagent's work: SUBAGENT_STARTED, the events tagged as its own, SUBAGENT_FINISHED, or SUBAGENT_ERROR
   * when they fail. The error travels on: catch it where the run shall go on without that subagent.
   */
  subagent(name: string, events: EventSource, options?: SubagentOptions): Observable<AGUIEvent>;
  /** One CUSTOM event. */
  custom(name: string, value: unknown): Observable<AGUIEvent>;

  /** Opens a tool call and sends its START. */
  openToolCall(name: string, options?: ToolCallOptions): ToolCallHandle<State>;
  /** Opens a text message and sends its START. */
  openMessage(options?: MessageOptions): MessageHandle;
  /** Opens a reasoning span with one message in it and sends both STARTs. */
  openReasoning(options?: ReasoningOptions): ReasoningHandle;
  /** Opens a step and sends STEP_STARTED. */
  openStep(name: string, options?: StepOptions): StepHandle;
  /** Sends any event, as if it had come from the project's Observable. */
  emit(event: AGUIEvent): void;

  /**
   * Says how the run shall end once the project is done: what was said last counts, field by field; usage
   * adds up. The project's own outcome, or a RUN_FINISHED of its own, comes before it.
   */
  end(ending?: RunEnding): void;
}
