import { defer, from, observeOn, type Observable, type SchedulerLike } from "rxjs";
import type { Delta } from "../delta.js";
import type { Model } from "../models/model.js";
import type { ModelRequest } from "../requests/model-request.js";

/** A call that a fake answer makes. */
export interface FakeCall {
  readonly call: string;
  /** The arguments: a value that is sent as JSON, or the text itself. Default `{}`. */
  readonly args?: unknown;
  /** Default `call-<turn>-<position>`. */
  readonly id?: string;
}

/** What a fake model answers once: text, calls, deltas, an error to fail with, or a function of the request. */
export type FakeAnswer =
  | string
  | Error
  | readonly (string | FakeCall | Delta)[]
  | ((request: ModelRequest) => string | Error | readonly (string | FakeCall | Delta)[]);

/** A model that answers from a script, and remembers what it was asked. */
export interface FakeModel extends Model {
  /** The requests so far, in order. */
  readonly requests: readonly ModelRequest[];
}

/** What {@link fakeModel} may be told. */
export interface FakeModelOptions {
  /** Characters in a fragment of text or arguments. Default 8. */
  readonly fragment?: number;
  /** Emits each delta on this scheduler. Default synchronously. */
  readonly scheduler?: SchedulerLike;
}

/**
 * A model for tests of agents: it answers from a script, an answer a request, with no provider at all.
 *
 * Text and arguments come in fragments, as from a provider. One request more than the script has answers
 * errors and says so.
 *
 * @example
 * ```ts
 * import { fakeModel } from "@agrx/llm-adapter/testing";
 *
 * const model = fakeModel([[{ call: "now" }], "It is noon."]);
 * model({ messages: [] }).subscribe((delta) => console.log(delta.type));
 * ```
 */
export function fakeModel(
  script: readonly FakeAnswer[],
  { fragment = 8, scheduler }: FakeModelOptions = {},
): FakeModel {
  const requests: ModelRequest[] = [];
  const model = (request: ModelRequest): Observable<Delta> =>
    defer(() => {
      const turn = requests.push(request);
      const answer = script[turn - 1];
      if (answer === undefined) {
        throw new Error(
          `The fake model was asked ${turn} times and has ${script.length} answers. Add one to its script.`,
        );
      }
      const given = typeof answer === "function" ? answer(request) : answer;
      if (given instanceof Error) throw given;
      const deltas$ = from(deltasOf(typeof given === "string" ? [given] : given, turn, fragment));
      return scheduler ? deltas$.pipe(observeOn(scheduler)) : deltas$;
    });
  return Object.assign(model, { requests });
}

function deltasOf(parts: readonly (string | FakeCall | Delta)[], turn: number, size: number): Delta[] {
  const deltas: Delta[] = [];
  let calls = 0;
  for (const part of parts) {
    if (typeof part === "string")
      deltas.push(...cut(part, size).map((text): Delta => ({ type: "text", text })));
    else if ("call" in part) deltas.push(...callDeltas(part, turn, calls++, size));
    else deltas.push(part);
  }
  if (!deltas.some(({ type }) => type === "finish")) {
    deltas.push({
      type: "finish",
      reason: calls > 0 ? "tool-calls" : "stop",
      raw: calls > 0 ? "tool_calls" : "stop",
    });
  }
  return deltas;
}

function callDeltas({ call, args = {}, id }: FakeCall, turn: number, index: number, size: number): Delta[] {
  const key = `${turn}.${index}`;
  const text = typeof args === "string" ? args : JSON.stringify(args);
  return [
    { type: "tool-call-start", key, id: id ?? `call-${turn}-${index + 1}`, name: call, index },
    ...cut(text, size).map((fragment): Delta => ({ type: "tool-call-fragment", key, text: fragment })),
    { type: "tool-call-end", key, status: "complete" },
  ];
}

function cut(text: string, size: number): string[] {
  const fragments: string[] = [];
  for (let at = 0; at < text.length; at += size) fragments.push(text.slice(at, at + size));
  return fragments;
}
