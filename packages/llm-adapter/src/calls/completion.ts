import { readArguments } from "@agrx/core";
import type { FinishReason } from "../delta.js";

/**
 * What ended a call, from the surest to the least:
 *
 * - `marker`: the provider's own word that this call's arguments are whole;
 * - `finish`: the provider finished the answer that holds the call;
 * - `cut-short`: it finished because it had to: out of tokens, filtered, failed;
 * - `stream-end`: the stream just ended, without a word;
 * - `failure`: the provider reported an error while the call was open.
 */
export type CallEnding = "marker" | "finish" | "cut-short" | "stream-end" | "failure";

/** What a call turned out to be at its end. */
export interface CallCompletion {
  readonly status: "complete" | "incomplete" | "invalid";
  /** The arguments' text; as it came, but that a certain end makes `{}` of nothing. */
  readonly text: string;
  /** The arguments' value, when complete. */
  readonly args?: unknown;
}

/** What a kind of text is at each ending. */
type CompletionRow = { readonly [E in CallEnding]: CallCompletion["status"] };

/**
 * The rules of completion, as data: a row for what the text is, a column for what ended the call.
 *
 * The rows for JSON hold for tools that take JSON; a custom tool's input is free text.
 */
export const completionRules = {
  /** Nothing came: no arguments where the end is certain, and then the text is `{}`. */
  empty: row("complete", "complete", "incomplete", "incomplete"),
  /** A whole JSON object or array. */
  closed: row("complete", "complete", "complete", "complete"),
  /** A whole JSON text of another kind: more digits or words might have followed. */
  scalar: row("complete", "complete", "incomplete", "incomplete"),
  /** A prefix of a JSON text (vllm-project/vllm#53269: the finish said `tool_calls`). */
  unfinished: row("incomplete", "incomplete", "incomplete", "incomplete"),
  /** What can never become JSON. */
  malformed: row("invalid", "invalid", "invalid", "incomplete"),
  /** A custom tool's input. */
  free: row("complete", "complete", "incomplete", "incomplete"),
} as const satisfies Record<string, CompletionRow>;

/** Decides what a call is at its end. Nothing else decides it. */
export function completeCall(text: string, ending: CallEnding, custom: boolean): CallCompletion {
  if (custom) return { status: completionRules.free[ending], text, args: text };
  if (text.trim() === "") {
    const status = completionRules.empty[ending];
    return status === "complete" ? { status, text: "{}", args: {} } : { status, text };
  }
  const reading = readArguments(text);
  if (reading.status !== "complete") {
    const rule = reading.status === "incomplete" ? completionRules.unfinished : completionRules.malformed;
    return { status: rule[ending], text };
  }
  const closed = typeof reading.value === "object" && reading.value !== null;
  const status = (closed ? completionRules.closed : completionRules.scalar)[ending];
  return status === "complete" ? { status, text, args: reading.value } : { status, text };
}

/** What a finish means for the calls that it ends. */
export function endingOf(reason: FinishReason): CallEnding {
  return reason === "length" || reason === "content-filter" || reason === "error" ? "cut-short" : "finish";
}

function row<
  Marker extends CallCompletion["status"],
  Finish extends CallCompletion["status"],
  CutShort extends CallCompletion["status"],
  StreamEnd extends CallCompletion["status"],
>(marker: Marker, finish: Finish, cutShort: CutShort, streamEnd: StreamEnd) {
  return {
    marker,
    finish,
    "cut-short": cutShort,
    "stream-end": streamEnd,
    failure: "incomplete",
  } as const satisfies CompletionRow;
}
