import {
  createJsonAccumulator,
  type JsonAccumulator,
  type JsonAccumulatorOptions,
} from "./json-accumulator.js";

/** An accumulator, and whether the value so far is to be shown after a fragment. */
export interface PartialReader {
  readonly json: JsonAccumulator;
  readonly push: (fragment: string) => boolean;
}

/**
 * The rule by which everything that shows a value so far may lag: a read is due while it costs at most
 * eight slots for each character that came since the last one, so that all reads together stay linear.
 */
export function createPartialReader(options?: JsonAccumulatorOptions): PartialReader {
  const json = createJsonAccumulator(options);
  let unread = 0;
  return {
    json,
    push(fragment) {
      json.push(fragment);
      unread += fragment.length;
      if (json.readCost > 8 * unread) return false;
      unread = 0;
      return true;
    },
  };
}
