import type { FinishReason } from "../delta.js";

/**
 * Why the model stopped, given whether it asked for tools: providers say "stop" although calls came
 * (BerriAI/litellm#12862), and ask for tools that never came.
 */
export function effectiveReason(reason: FinishReason, hasCalls: boolean): FinishReason {
  if (reason === "stop" && hasCalls) return "tool-calls";
  return reason === "tool-calls" && !hasCalls ? "stop" : reason;
}

/** A provider's word for why it stopped, by a table of the format; `undefined` when it said nothing. */
export function readFinishReason(
  raw: unknown,
  words: Readonly<Record<string, FinishReason>>,
): FinishReason | undefined {
  if (typeof raw !== "string" || raw === "") return undefined;
  return Object.hasOwn(words, raw) ? words[raw] : "other";
}
