import type { EventFactories } from "../protocol/events.js";
import type { AGUIEvent, EventOf, EventTypeName } from "../protocol/vocabulary.js";

/** The fields that an event of each type must have, with the values a test gets without saying any. */
export const defaultFields = {
  RUN_STARTED: { threadId: "t", runId: "r" },
  RUN_FINISHED: { threadId: "t", runId: "r" },
  RUN_ERROR: { message: "failed" },
  STEP_STARTED: { stepName: "step" },
  STEP_FINISHED: { stepName: "step" },
  TEXT_MESSAGE_START: { messageId: "m" },
  TEXT_MESSAGE_CONTENT: { messageId: "m", delta: "" },
  TEXT_MESSAGE_END: { messageId: "m" },
  TEXT_MESSAGE_CHUNK: {},
  TOOL_CALL_START: { toolCallId: "c", toolCallName: "tool" },
  TOOL_CALL_ARGS: { toolCallId: "c", delta: "" },
  TOOL_CALL_END: { toolCallId: "c" },
  TOOL_CALL_CHUNK: {},
  TOOL_CALL_RESULT: { messageId: "result", toolCallId: "c", content: "" },
  REASONING_START: { messageId: "m" },
  REASONING_END: { messageId: "m" },
  REASONING_MESSAGE_START: { messageId: "m", role: "reasoning" },
  REASONING_MESSAGE_CONTENT: { messageId: "m", delta: "" },
  REASONING_MESSAGE_END: { messageId: "m" },
  REASONING_MESSAGE_CHUNK: {},
  REASONING_ENCRYPTED_VALUE: { entityId: "m", subtype: "message", encryptedValue: "" },
  STATE_SNAPSHOT: { snapshot: {} },
  STATE_DELTA: { delta: [] },
  MESSAGES_SNAPSHOT: { messages: [] },
  ACTIVITY_SNAPSHOT: { messageId: "m", activityType: "activity", content: {} },
  ACTIVITY_DELTA: { messageId: "m", activityType: "activity", patch: [] },
  SUBAGENT_STARTED: { subagentRunId: "s", name: "agent" },
  SUBAGENT_FINISHED: { subagentRunId: "s" },
  SUBAGENT_ERROR: { subagentRunId: "s", message: "failed" },
  RAW: { event: {} },
  CUSTOM: { name: "custom", value: null },
} as const satisfies { readonly [T in EventTypeName]: Omit<EventOf<T>, "type"> };

type Fields<E> = Partial<Omit<E, "type">>;

/** The factories of the testing kit's {@link events}: as core's, with every field optional. */
export type TestingEventFactories = {
  readonly [Name in keyof EventFactories]: (
    fields?: Fields<ReturnType<EventFactories[Name]>>,
  ) => ReturnType<EventFactories[Name]>;
};

/**
 * A factory for each event type, as `events` of `@agrx/core`, for tests: what a test does not care for it
 * leaves out. Ids are `m`, `c`, `s`, the run is `r` on thread `t`, texts are empty.
 *
 * @example
 * ```ts
 * import { events } from "@agrx/core/testing";
 *
 * const { toolCallId, toolCallName } = events.toolCallStart({ toolCallName: "roll_dice" });
 * console.log(toolCallId, toolCallName); // c roll_dice
 * ```
 */
export const events = Object.fromEntries(
  Object.entries(defaultFields).map(([type, fields]) => [
    camelCase(type),
    (own?: object) => ({ type, ...structuredClone(fields), ...own }) as unknown as AGUIEvent,
  ]),
) as unknown as TestingEventFactories;

function camelCase(type: string): string {
  return type.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
