import type { JsonAccumulator } from "./json-accumulator.js";

/** Pushes a fragment and says whether the value so far is to be shown; see {@link createPartialReader}. */
export type PartialReader = (fragment: string) => boolean;

/**
 * The rule by which everything that shows a value so far may lag: a read is due while it costs at most
 * eight slots for each character that came since the last one, so that all reads together stay linear.
 */
export function createPartialReader(json: JsonAccumulator): PartialReader {
  let unread = 0;
  return (fragment) => {
    json.push(fragment);
    unread += fragment.length;
    if (json.readCost > 8 * unread) return false;
    unread = 0;
    return true;
  };
}
