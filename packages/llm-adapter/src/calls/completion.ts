import { readArguments } from "@agrx/core";
import type { FinishReason } from "../delta.js";
import type { ArgumentText } from "./argument-text.js";

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
export type CallCompletion = "complete" | "incomplete" | "invalid";

/** What a kind of text is at each ending. */
type CompletionRow = { readonly [E in CallEnding]: CallCompletion };

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

/** What the text of a call's arguments is: a row of {@link completionRules}. */
export type ArgumentsKind = keyof typeof completionRules;

/**
 * Decides whether a call was cut, or all of it came. Nothing else decides it.
 *
 * A closed text is parsed only where it matters here whether it is JSON: a certain end is certain either way.
 */
export function isCut(
  text: Pick<ArgumentText, "shape" | "text">,
  ending: CallEnding,
  custom: boolean,
): boolean {
  return completionRules[kindOf(text, ending, custom)][ending] === "incomplete";
}

function kindOf(
  { shape, text }: Pick<ArgumentText, "shape" | "text">,
  ending: CallEnding,
  custom: boolean,
): ArgumentsKind {
  if (custom) return "free";
  if (shape === "empty") return "empty";
  if (shape === "closed" && completionRules.malformed[ending] !== "incomplete") return "closed";
  const reading = readArguments(text);
  if (reading.status !== "complete") return reading.status === "incomplete" ? "unfinished" : "malformed";
  return typeof reading.value === "object" && reading.value !== null ? "closed" : "scalar";
}

/** A call's arguments, once all of their text has come. */
export type WholeArguments =
  { readonly status: "complete"; readonly args: unknown } | { readonly status: "invalid" };

/** Reads the arguments of a call that was not cut: its value, or that it is no JSON. */
export function readWhole(text: string, custom: boolean): WholeArguments {
  if (custom) return { status: "complete", args: text };
  const reading = readArguments(text);
  return reading.status === "complete" ? { status: "complete", args: reading.value } : { status: "invalid" };
}

/** What a finish means for the calls that it ends. */
export function endingOf(reason: FinishReason): CallEnding {
  return reason === "length" || reason === "content-filter" || reason === "error" ? "cut-short" : "finish";
}

function row<
  Marker extends CallCompletion,
  Finish extends CallCompletion,
  CutShort extends CallCompletion,
  StreamEnd extends CallCompletion,
>(marker: Marker, finish: Finish, cutShort: CutShort, streamEnd: StreamEnd) {
  return {
    marker,
    finish,
    "cut-short": cutShort,
    "stream-end": streamEnd,
    failure: "incomplete",
  } as const satisfies CompletionRow;
}
