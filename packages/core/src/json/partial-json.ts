import type { OperatorFunction } from "rxjs";
import { stateful } from "../stream/stateful.js";
import type { JsonAccumulatorOptions } from "./json-accumulator.js";
import { createPartialReader } from "./partial-reader.js";

/**
 * Reads a JSON text that arrives in fragments, cut anywhere, and emits its value so far.
 *
 * ```text
 * source:        --{"a":"x----y"--}--|
 * partialJson()
 * result:        --{a:x}------{a:xy}-----|
 * ```
 *
 * Emits after each fragment that changes the value, synchronously; what `createJsonAccumulator` says of
 * values holds. While the open containers have more than eight slots for each character that came since
 * the last emission (a member of an object counts as eight), it leaves an emission out, so that the whole
 * stays linear in the text; the last value always comes. Completes with the source. Errors with a
 * `JsonTextError` at the fragment that can be no JSON, and at the end of a text that is not whole, each
 * time after the last value; also passes the source's error on after the last value.
 *
 * @typeParam T - what the text holds, if you know: a partial value is not checked against it
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { partialJson } from "@agrx/core";
 *
 * from(['{"city":"Seo', 'ul"', "}"])
 *   .pipe(partialJson())
 *   .subscribe((value) => console.log(value)); // { city: 'Seo' }, { city: 'Seoul' }
 * ```
 */
export function partialJson<T = unknown>(options?: JsonAccumulatorOptions): OperatorFunction<string, T> {
  return stateful(() => {
    const { json, push } = createPartialReader(options);
    let latest: unknown;
    const show = (emit: (value: T) => void) => {
      const value = json.value;
      if (value === latest) return;
      latest = value;
      emit(value as T);
    };
    return {
      push(fragment, emit) {
        const isDue = push(fragment);
        if (isDue || json.error !== undefined) show(emit);
        if (json.error !== undefined) throw json.error;
      },
      end(emit) {
        const error = json.end();
        show(emit);
        if (error !== undefined) throw error;
      },
      fail: (_error, emit) => show(emit),
    };
  });
}
