import type { StandardSchemaV1 } from "@standard-schema/spec";
import {
  concat,
  defer,
  EMPTY,
  finalize,
  ignoreElements,
  merge,
  of,
  Subject,
  tap,
  type Observable,
} from "rxjs";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { StatePublisher } from "../state/state-publisher.js";
import { lastValue } from "../stream/last-value.js";
import { resultContent, toolResultEvent } from "../tools/tool-result.js";
import { bracketClosed } from "./bracket-closed.js";
import type { Bracket } from "./bracket.js";
import { bracketed, fragmentEvents } from "./bracketed.js";
import { createOpenCall } from "./create-open-call.js";
import { parseArguments } from "./parse-arguments.js";
import type { ToolCallSpec } from "./run-context.js";
import type { RunSession } from "./run-session.js";
import { streamedCall } from "./streamed.js";

/** A spec whose types the context has checked. */
export interface CheckedToolCallSpec<State> extends ToolCallSpec<State, unknown, never> {
  readonly schema?: StandardSchemaV1;
}

/** A tool call; see `RunContext.toolCall`. */
export function toolCallBuilder<State>(
  run: RunSession,
  publisher: StatePublisher<State>,
  name: string,
  spec: CheckedToolCallSpec<State> = {},
): Observable<AGUIEvent> {
  return defer(() => {
    const { subagentRunId, schema, result } = spec;
    const id = spec.toolCallId ?? run.ids.nextToolCallId();
    const resultMessageId = spec.resultMessageId ?? run.ids.nextMessageId();
    const entity = streamedCall(id, name, spec);
    let text = "";
    let answer: unknown;

    const fragment = (delta: string) => {
      text += delta;
      return entity.fragment(delta);
    };

    /** Answers the call inside its bracket: what the work sends goes out, its last value is kept. */
    const answering = (bracket: Bracket) => {
      const args = result || schema ? parseArguments({ id, name, text, ended: true }, schema) : undefined;
      if (result === undefined) return EMPTY;
      const sent = new Subject<AGUIEvent>();
      const cut = new AbortController();
      const call = createOpenCall({
        id,
        name,
        resultMessageId,
        publisher,
        signal: cut.signal,
        text: () => text,
        ended: () => true,
        isListening: (use) => isHeard(run, bracket, use),
        send: (event) => sent.next(event),
      });
      const work = defer(() => lastValue(result(args as never, call))).pipe(
        tap({ next: (value) => (answer = value), complete: () => sent.complete() }),
        ignoreElements(),
      );
      return merge(sent, work).pipe(finalize(() => cut.abort()));
    };

    return concat(
      bracketed(run, entity.openings, (bracket) =>
        concat(
          fragmentEvents(bracket, spec.args, fragment),
          defer(() => answering(bracket)),
        ),
      ),
      defer(() =>
        result ? of(toolResultEvent({ id, resultMessageId, subagentRunId }, resultContent(answer))) : EMPTY,
      ),
    );
  });
}

/** Whether what a call's work sends still goes anywhere; silent when it was cut, an error after its end. */
function isHeard(run: RunSession, bracket: Bracket, use: string): boolean {
  if (!run.isListening() || bracket.builder === "abandoned") return false;
  if (bracket.builder === "finished") throw bracketClosed(bracket, use);
  return true;
}
