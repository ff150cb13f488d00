import type { ToolCall } from "@agrx/core";
import { from, type OperatorFunction } from "rxjs";
import type { Delta } from "../delta.js";
import { toToolCalls } from "../to-tool-calls.js";

/** What a decoder read out of chunks, with its text and reasoning joined. */
export interface Decoded {
  readonly deltas: readonly Delta[];
  readonly calls: readonly ToolCall[];
  readonly text: string;
  readonly reasoning: string;
  readonly error: unknown;
}

export function decode<Chunk>(chunks: Iterable<Chunk>, decoder: OperatorFunction<Chunk, Delta>): Decoded {
  const deltas: Delta[] = [];
  const calls: ToolCall[] = [];
  let error: unknown;
  from(chunks)
    .pipe(decoder)
    .subscribe({ next: (delta) => deltas.push(delta), error: (cause: unknown) => (error = cause) });
  from(deltas)
    .pipe(toToolCalls())
    .subscribe({ next: (call) => calls.push(call), error: (cause: unknown) => (error ??= cause) });
  return { deltas, calls, text: wordsOf("text", deltas), reasoning: wordsOf("reasoning", deltas), error };
}

function wordsOf(type: "text" | "reasoning", deltas: readonly Delta[]): string {
  return deltas.map((delta) => (delta.type === type ? delta.text : "")).join("");
}
