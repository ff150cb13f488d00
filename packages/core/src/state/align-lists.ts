import { isContainer, isJsonEqual } from "./is-json-equal.js";

/** The element of one list and the element of the other that stands for the same thing, by position. */
export type AlignedPair = readonly [before: number, after: number];

/**
 * Whether two elements stand for the same thing: the same value, or rows with the same `id`.
 *
 * An `id` decides alone, so long rows are not compared deep to find out that they are different ones.
 */
export function correspond(before: unknown, after: unknown): boolean {
  if (before === after) return true;
  const id = rowId(before);
  return id === undefined ? isJsonEqual(before, after) : id === rowId(after);
}

/**
 * The longest run of corresponding elements that stand in the same order in both lists.
 *
 * Elements are found by identity, by `id` and then by their JSON; n elements cost n log n.
 */
export function alignLists(before: readonly unknown[], after: readonly unknown[]): AlignedPair[] {
  const find = createFinder(before, after);
  // Patience sorting: ends[k] is the last pair of the best run of length k + 1 so far.
  const ends: Link[] = [];
  after.forEach((element, afterIndex) => {
    const beforeIndex = find(element);
    if (beforeIndex === undefined) return;
    const length = firstAtLeast(ends, beforeIndex);
    ends[length] = { pair: [beforeIndex, afterIndex], previous: ends[length - 1] };
  });
  const pairs: AlignedPair[] = [];
  for (let link = ends.at(-1); link; link = link.previous) pairs.push(link.pair);
  return pairs.reverse();
}

interface Link {
  readonly pair: AlignedPair;
  readonly previous: Link | undefined;
}

function firstAtLeast(ends: readonly Link[], beforeIndex: number): number {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]!.pair[0] < beforeIndex) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Finds the place of an element in `before`; each place is given once, equal ones from left to right. */
function createFinder(
  before: readonly unknown[],
  after: readonly unknown[],
): (element: unknown) => number | undefined {
  const places = new Map<unknown, number[]>();
  const note = (key: unknown, index: number) => {
    const noted = places.get(key);
    if (noted) noted.push(index);
    else places.set(key, [index]);
  };
  for (let index = before.length - 1; index >= 0; index--) note(keyOf(before[index]), index);

  let texts = false;
  const noteTexts = () => {
    texts = true;
    const kept = new Set(after);
    for (let index = before.length - 1; index >= 0; index--) {
      const element = before[index];
      if (isContainer(element) && rowId(element) === undefined && !kept.has(element)) {
        note(textKey(element), index);
      }
    }
  };
  return (element) => {
    const found = places.get(keyOf(element))?.pop();
    if (found !== undefined || !isContainer(element) || rowId(element) !== undefined) return found;
    if (!texts) noteTexts();
    return places.get(textKey(element))?.pop();
  };
}

const keyOf = (element: unknown): unknown => {
  const id = rowId(element);
  return id === undefined ? element : `id ${typeof id} ${id}`;
};

const textKey = (element: object): string => `json ${JSON.stringify(element)}`;

function rowId(element: unknown): string | number | undefined {
  if (!isContainer(element) || Array.isArray(element) || !Object.hasOwn(element, "id")) return undefined;
  const { id } = element as { id?: unknown };
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
