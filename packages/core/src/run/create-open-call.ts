import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { StatePublisher } from "../state/state-publisher.js";
import type { OpenToolCall } from "./open-tool-call.js";
import { parseArguments } from "./parse-arguments.js";

/** The call as its maker knows it. */
export interface CallFacts<State> {
  readonly id: string;
  readonly name: string;
  readonly resultMessageId: string;
  readonly signal: AbortSignal;
  readonly publisher: StatePublisher<State>;
  /** The arguments' text so far. */
  readonly text: () => string;
  /** Whether no more text can come. */
  readonly ended: () => boolean;
  /** Whether events are heard inside the bracket; throws when `use` comes after its end. */
  readonly isListening: (use: string) => boolean;
  readonly send: (event: AGUIEvent) => void;
}

/** What may be done inside a call's bracket, the same for a handle and for a declarative `result`. */
export function createOpenCall<State>(call: CallFacts<State>): OpenToolCall<State> {
  const { id, name, publisher } = call;

  function publish(use: string, change: () => AGUIEvent | undefined): void {
    if (!call.isListening(use)) return;
    const event = change();
    if (event) call.send(event);
  }

  return {
    id,
    name,
    resultMessageId: call.resultMessageId,
    signal: call.signal,
    get rawArgs() {
      return call.text();
    },
    parseArgs: (schema?: StandardSchemaV1) =>
      parseArguments({ id, name, text: call.text(), ended: call.ended() }, schema) as never,
    get state() {
      return publisher.state;
    },
    updateState: (recipe) => publish("updateState", () => publisher.update(recipe)),
    setState: (next) => publish("setState", () => publisher.set(next)),
    emit: (event) => publish("emit", () => event),
  };
}
