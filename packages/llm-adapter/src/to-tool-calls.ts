import type { ToolCall } from "@agrx/core";
import {
  filter,
  groupBy,
  map,
  mergeMap,
  reduce,
  type GroupedObservable,
  type Observable,
  type OperatorFunction,
} from "rxjs";
import { readWhole } from "./calls/completion.js";
import type { Delta, ToolCallEndDelta, ToolCallFragmentDelta, ToolCallStartDelta } from "./delta.js";

type CallDelta = ToolCallStartDelta | ToolCallFragmentDelta | ToolCallEndDelta;

/**
 * Gives each tool call whole, once its end is certain.
 *
 * In: deltas of a decoder. Out: calls in the order in which they end; `status` says whether a call may run:
 * "complete" only, "invalid" is to be answered with the error, "incomplete" was cut. A provider's error is
 * the stream's error, after the calls that it cut. Completes with the source. A call's buffer is freed with
 * the call.
 *
 * ```text
 * deltas  --S1--S2--f1--f2--E2--E1--|
 * calls   ------------------c2--c1--|
 * ```
 *
 * @example
 * ```ts
 * import { toToolCalls, type Delta } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * of<Delta[]>(
 *   { type: "tool-call-start", key: "1", id: "call_1", name: "get_weather" },
 *   { type: "tool-call-fragment", key: "1", text: '{"city":' },
 *   { type: "tool-call-fragment", key: "1", text: '"Seoul"}' },
 *   { type: "tool-call-end", key: "1", status: "complete" },
 * )
 *   .pipe(toToolCalls())
 *   .subscribe((call) => console.log(call.id, call.arguments)); // call_1 {"city":"Seoul"}
 * ```
 */
export function toToolCalls(): OperatorFunction<Delta, ToolCall> {
  return (source) =>
    source.pipe(
      filter(isCallDelta),
      groupBy((delta) => delta.key, { duration: (call$) => call$.pipe(filter(isEnd)) }),
      mergeMap(wholeCall),
    );
}

function isCallDelta(delta: Delta): delta is CallDelta {
  if (delta.type === "error") throw delta.error;
  return delta.type === "tool-call-fragment" || delta.type === "tool-call-start" || isEnd(delta);
}

function isEnd(delta: Delta): delta is ToolCallEndDelta {
  return delta.type === "tool-call-end";
}

function wholeCall(call$: GroupedObservable<string, CallDelta>): Observable<ToolCall> {
  return call$.pipe(
    reduce(addDelta, undefined as Draft | undefined),
    filter((draft) => draft !== undefined),
    map(({ call }) => call),
  );
}

/** A call while it is built: a copy of its own. */
interface Draft {
  readonly call: { -readonly [Field in keyof ToolCall]: ToolCall[Field] };
  readonly custom: boolean;
}

function addDelta(draft: Draft | undefined, delta: CallDelta): Draft | undefined {
  if (delta.type === "tool-call-start") return { call: newCall(delta), custom: delta.custom === true };
  if (draft === undefined) return draft;
  const { call, custom } = draft;
  if (delta.type === "tool-call-fragment") call.arguments += delta.text;
  else {
    Object.assign(call, delta.status === "complete" ? readWhole(call.arguments, custom) : undefined);
  }
  return draft;
}

/** A source that completes without a call's end has cut it. */
function newCall({ id, name, index, providerExecuted }: ToolCallStartDelta): ToolCall {
  return {
    id,
    name,
    arguments: "",
    args: undefined,
    status: "incomplete",
    ...(index !== undefined && { index }),
    ...(providerExecuted && { providerExecuted }),
  };
}
