import type { StandardSchemaV1 } from "@standard-schema/spec";
import { describeIssues } from "../schema/describe-issues.js";
import { events } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { measuredDiff } from "./diff-json.js";
import { isJsonEqual } from "./is-json-equal.js";
import { jsonSize } from "./json-size.js";
import { StateError } from "./state-error.js";

/** Settings of {@link createStatePublisher}. */
export interface StatePublisherOptions<S> {
  /**
   * What every published state has to be: zod or any Standard Schema that answers synchronously. It checks
   * and gives the type; defaults and transforms do not reach the state. Costs a walk of the whole state a
   * publish. Default: none.
   */
  readonly schema?: StandardSchemaV1<unknown, S>;
}

/** Keeps a state and gives the event that tells the client of each change. */
export interface StatePublisher<S> {
  /** The state as it was last published, or the initial one. */
  readonly state: S;
  /** Publishes the next state; undefined when it says what the last one said. */
  set(next: S): AGUIEvent | undefined;
  /** Publishes what the recipe makes of the state. The recipe returns a new state and changes nothing. */
  update(recipe: (state: S) => S): AGUIEvent | undefined;
}

/**
 * Makes state changes into events: the first publish is a STATE_SNAPSHOT, each later one a STATE_DELTA,
 * or a STATE_SNAPSHOT again where the patch would be no shorter; nothing changed gives no event.
 *
 * What is compared is the characters of the patch's and of the state's JSON. The state is sized only up to
 * the size of the patch and what the last state and the next share (`===`) is not looked into, so a publish
 * costs what changed. Treat states as immutable: spread, or use immer's `produce` as a recipe. A state that
 * was changed in place is the same state, and gives no event.
 *
 * @param initial - what the client has already: the run input's state. Default `{}`, as the protocol says
 * @param options - see {@link StatePublisherOptions}
 * @throws {@link StateError} from `set` and `update`: `invalid-state`, `missing-state`; nothing is published
 *
 * @example
 * ```ts
 * import { createStatePublisher } from "@agrx/core";
 *
 * const board = createStatePublisher({ title: "Groceries", todo: ["milk"], done: ["bread", "butter"] });
 * console.log(board.set({ ...board.state, todo: [] })?.type); // STATE_SNAPSHOT
 * const event = board.update((state) => ({ ...state, todo: ["tea"] }));
 * console.log(event?.type, JSON.stringify(event)); // STATE_DELTA {"type":"STATE_DELTA","delta":[{"op":"add","path":"/todo/0","value":"tea"}]}
 * console.log(board.update((state) => state)); // undefined
 * ```
 */
export function createStatePublisher<S>(
  initial?: S,
  { schema }: StatePublisherOptions<S> = {},
): StatePublisher<S> {
  let state = (initial === undefined ? {} : initial) as S;
  let published = false;

  function set(next: S): AGUIEvent | undefined {
    if (next === undefined) {
      throw new StateError(
        "missing-state",
        "The next state is undefined. Return one from the recipe; an empty one is null.",
      );
    }
    if (schema) check(schema, next);
    const before = state;
    state = next;
    if (before === next || (!published && isJsonEqual(before, next))) return undefined;
    if (published) {
      const { operations, size } = measuredDiff(before, next);
      if (operations.length === 0) return undefined;
      if (jsonSize(next, size) > size) return events.stateDelta({ delta: operations });
    }
    published = true;
    return events.stateSnapshot({ snapshot: next });
  }

  return {
    get state() {
      return state;
    },
    set,
    update: (recipe) => set(recipe(state)),
  };
}

function check(schema: StandardSchemaV1, state: unknown): void {
  const result = schema["~standard"].validate(state);
  const wrong = "then" in result ? "answers with a promise" : result.issues && describeIssues(result.issues);
  if (wrong) throw new StateError("invalid-state", `The state's schema refuses it: ${wrong}`);
}
