import { EventType, type AGUIEvent, type EventOf, type EventTypeName } from "./vocabulary.js";

type Fields<T extends EventTypeName> = Omit<EventOf<T>, "type">;

const factory =
  <const T extends EventTypeName>(type: T) =>
  (fields: Fields<T>): EventOf<T> =>
    ({ type, ...fields }) as unknown as EventOf<T>;

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<S>;

/** The factories of {@link events}: one for each event type, named as the type in camel case. */
export type EventFactories = {
  readonly [T in EventTypeName as CamelCase<T>]: (fields: Fields<T>) => EventOf<T>;
};

/**
 * A factory for each event type: takes the event's fields, gives the event, typed.
 *
 * Nothing is filled in or checked beyond the types; a forgotten event type does not compile.
 *
 * @example
 * ```ts
 * import { events } from "@agrx/core";
 *
 * const end = events.toolCallEnd({ toolCallId: "call-1" });
 * console.log(end.type); // TOOL_CALL_END
 * ```
 */
export const events: EventFactories = {
  runStarted: factory("RUN_STARTED"),
  runFinished: factory("RUN_FINISHED"),
  runError: factory("RUN_ERROR"),
  stepStarted: factory("STEP_STARTED"),
  stepFinished: factory("STEP_FINISHED"),
  textMessageStart: factory("TEXT_MESSAGE_START"),
  textMessageContent: factory("TEXT_MESSAGE_CONTENT"),
  textMessageEnd: factory("TEXT_MESSAGE_END"),
  textMessageChunk: factory("TEXT_MESSAGE_CHUNK"),
  toolCallStart: factory("TOOL_CALL_START"),
  toolCallArgs: factory("TOOL_CALL_ARGS"),
  toolCallEnd: factory("TOOL_CALL_END"),
  toolCallChunk: factory("TOOL_CALL_CHUNK"),
  toolCallResult: factory("TOOL_CALL_RESULT"),
  reasoningStart: factory("REASONING_START"),
  reasoningEnd: factory("REASONING_END"),
  reasoningMessageStart: factory("REASONING_MESSAGE_START"),
  reasoningMessageContent: factory("REASONING_MESSAGE_CONTENT"),
  reasoningMessageEnd: factory("REASONING_MESSAGE_END"),
  reasoningMessageChunk: factory("REASONING_MESSAGE_CHUNK"),
  reasoningEncryptedValue: factory("REASONING_ENCRYPTED_VALUE"),
  stateSnapshot: factory("STATE_SNAPSHOT"),
  stateDelta: factory("STATE_DELTA"),
  messagesSnapshot: factory("MESSAGES_SNAPSHOT"),
  activitySnapshot: factory("ACTIVITY_SNAPSHOT"),
  activityDelta: factory("ACTIVITY_DELTA"),
  subagentStarted: factory("SUBAGENT_STARTED"),
  subagentFinished: factory("SUBAGENT_FINISHED"),
  subagentError: factory("SUBAGENT_ERROR"),
  raw: factory("RAW"),
  custom: factory("CUSTOM"),
};

/** Whether an event ends its run: RUN_FINISHED or RUN_ERROR. */
export function isTerminal(event: AGUIEvent): event is EventOf<"RUN_FINISHED" | "RUN_ERROR"> {
  return event.type === EventType.RUN_FINISHED || event.type === EventType.RUN_ERROR;
}
