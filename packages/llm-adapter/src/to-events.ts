import { orderedToolCalls, stateful, wholeToolCalls, type AGUIEvent, type RunScope } from "@agrx/core";
import { identity, type MonoTypeOperatorFunction, type OperatorFunction } from "rxjs";
import type { Delta, FinishDelta } from "./delta.js";
import { createAnswerEvents } from "./events/answer-events.js";

/** What {@link toEvents} takes. */
export interface ToEventsOptions {
  /**
   * How parallel calls are laid out. Default: "ordered".
   *
   * - `ordered`: calls never interleave; the first streams live, the next wait for their turn;
   * - `whole`: each call goes out at its end, with all its arguments in one event;
   * - `live`: everything as it comes, calls interleaved; ids keep them apart.
   */
  readonly toolCalls?: "ordered" | "whole" | "live";
  /** The run that the answer is part of: ids come from it, usage goes to it. Default: none. */
  readonly context?: RunScope;
  /** What ids begin with when there is no `context`: give each answer of a run its own. Default: "". */
  readonly idPrefix?: string;
  /** Told why the model stopped, each time that the provider says so. */
  readonly onFinish?: (finish: FinishDelta) => void;
}

const layouts: Readonly<Record<"ordered" | "whole" | "live", () => MonoTypeOperatorFunction<AGUIEvent>>> = {
  ordered: orderedToolCalls,
  whole: wholeToolCalls,
  live: () => identity,
};

/**
 * Turns the deltas of a model's answer into AG-UI events.
 *
 * In: deltas of a decoder. Out: text, reasoning and tool calls as START, content and END; results of tools that
 * the provider ran as TOOL_CALL_RESULT; encrypted values as REASONING_ENCRYPTED_VALUE; everything else as
 * CUSTOM. No RUN events: those are the run's. Synchronous; completes with the source.
 *
 * Errors with a {@link ProviderError} on a provider's error and on a call that was cut (`incomplete-tool-call`,
 * or `truncated` when the stream ended), after it has closed the messages that it opened; such a call gets no
 * TOOL_CALL_END, so that nothing runs it. A call whose text is whole but no JSON is ended: its tool answers
 * with the error.
 *
 * All calls of an answer belong to one assistant message (`parentMessageId`): its text where there is some.
 * Metadata that it adds: `agrx.providerExecuted` on calls and results of tools that the provider ran,
 * `agrx.custom` on calls that take free text, `agrx.providerCallId` with the provider's id of a call that had
 * to be renamed, `agrx.refusal` on refusals, `agrx.continues` on text after a call, with the id of the message
 * that it continues.
 *
 * ```text
 * deltas  --t--S1--S2--f2--f1--E1--E2--|
 * events  --t--S1----------f1--(E1 S2 f2)--E2--|    ordered
 * ```
 *
 * @example
 * ```ts
 * import { toEvents, type Delta } from "@agrx/llm-adapter";
 * import { map, of, toArray } from "rxjs";
 *
 * of<Delta[]>({ type: "text", text: "Hello" }, { type: "finish", reason: "stop", raw: "stop" })
 *   .pipe(toEvents(), map((event) => event.type), toArray())
 *   .subscribe((types) => console.log(types.join())); // TEXT_MESSAGE_START,TEXT_MESSAGE_CONTENT,TEXT_MESSAGE_END
 * ```
 */
export function toEvents(options: ToEventsOptions = {}): OperatorFunction<Delta, AGUIEvent> {
  const layOut = layouts[options.toolCalls ?? "ordered"]();
  return (source) =>
    source.pipe(
      stateful(() => createAnswerEvents(options)),
      layOut,
    );
}
