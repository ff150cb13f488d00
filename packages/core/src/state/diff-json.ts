import type { JsonPatchOperation } from "../protocol/vocabulary.js";
import { alignLists, correspond } from "./align-lists.js";
import { isContainer, isJsonEqual } from "./is-json-equal.js";
import { isForbiddenKey, memberPointer } from "./json-pointer.js";
import { asJson, hasJson, jsonSize } from "./json-size.js";

/**
 * The JSON Patch (RFC 6902) that makes one JSON value of another.
 *
 * What the two share (`===`) is not looked into, so the cost follows what changed. An array's tail is not
 * written again when an element comes or goes: elements are matched by identity, by an `id` they have, and
 * by equality. Wherever the operations inside a value would be no shorter than the value, the value is
 * replaced whole. A key that no patch may name (`__proto__`, `constructor`, `prototype`) replaces what
 * holds it. What JSON has no text for counts as absent, in an array as null.
 *
 * Operations hold parts of `after` by reference; none when nothing changed.
 *
 * @param before - the value that the receiver has
 * @param after - the value that it shall have
 *
 * @example
 * ```ts
 * import { diffJson } from "@agrx/core";
 *
 * const before = { title: "Board", cards: ["a", "b", "c"], columns: ["open", "done", "never"] };
 * const after = { ...before, cards: ["b", "c"] };
 * console.log(JSON.stringify(diffJson(before, after))); // [{"op":"remove","path":"/cards/0"}]
 * ```
 */
export function diffJson(before: unknown, after: unknown): JsonPatchOperation[] {
  return measuredDiff(before, after).operations;
}

/** A patch and the number of characters of its JSON. */
export interface MeasuredPatch {
  readonly operations: JsonPatchOperation[];
  readonly size: number;
}

/** {@link diffJson}, with the size it had to know anyway. */
export function measuredDiff(before: unknown, after: unknown): MeasuredPatch {
  const patch: PatchUnderWay = { operations: [], size: 1 };
  diffValue(before, after, "", patch);
  return { operations: patch.operations, size: Math.max(patch.size, 2) };
}

interface PatchUnderWay {
  readonly operations: JsonPatchOperation[];
  /** Characters of the JSON so far: the opening bracket, and each operation with what follows it. */
  size: number;
}

function add(patch: PatchUnderWay, operation: JsonPatchOperation): void {
  patch.operations.push(operation);
  patch.size += jsonSize(operation) + 1;
}

function diffValue(before: unknown, after: unknown, path: string, patch: PatchUnderWay): void {
  if (before === after) return;
  const from = asJson(before);
  const to = asJson(after);
  if (from === to) return;
  const { size } = patch;
  const { length } = patch.operations;
  const whole: JsonPatchOperation = { op: "replace", path, value: hasJson(to) ? to : null };
  const patchable = diffMembers(from, to, path, patch);
  const grown = patch.size - size;
  if (patchable && (grown === 0 || jsonSize(whole, grown) + 1 > grown)) return;
  patch.operations.length = length;
  patch.size = size;
  add(patch, whole);
}

/** Adds what changed inside two containers of a kind; false when only replacing the whole will do. */
function diffMembers(before: unknown, after: unknown, path: string, patch: PatchUnderWay): boolean {
  if (!isContainer(before) || !isContainer(after)) return false;
  if (!Array.isArray(before) && !Array.isArray(after)) {
    return diffObjects(before as Members, after as Members, path, patch);
  }
  if (!Array.isArray(before) || !Array.isArray(after)) return false;
  diffLists(before, after, path, patch);
  return true;
}

type Members = Readonly<Record<string, unknown>>;

function diffObjects(before: Members, after: Members, path: string, patch: PatchUnderWay): boolean {
  for (const key of Object.keys(before)) {
    if (!hasJson(before[key]) || hasJson(ownMember(after, key))) continue;
    if (isForbiddenKey(key)) return false;
    add(patch, { op: "remove", path: memberPointer(path, key) });
  }
  for (const key of Object.keys(after)) {
    const value = after[key];
    const old = ownMember(before, key);
    if (value === old || !hasJson(value)) continue;
    if (isForbiddenKey(key)) {
      if (!hasJson(old) || !isJsonEqual(old, value)) return false;
    } else if (hasJson(old)) diffValue(old, value, memberPointer(path, key), patch);
    else add(patch, { op: "add", path: memberPointer(path, key), value });
  }
  return true;
}

const ownMember = (members: Members, key: string): unknown =>
  Object.hasOwn(members, key) ? members[key] : undefined;

type List = readonly unknown[];

/** Works from left to right: what lies before the index is as it shall be, what lies behind as it was. */
function diffLists(before: List, after: List, path: string, patch: PatchUnderWay): void {
  const shared = Math.min(before.length, after.length);
  let start = 0;
  // Most of a long list is shared: `===` in place saves a call for each.
  while (start < shared) {
    if (before[start] !== after[start]) {
      if (!correspond(before[start], after[start])) break;
      diffElement(before, start, after, start, path, patch);
    }
    start++;
  }
  let beforeEnd = before.length;
  let afterEnd = after.length;
  while (
    beforeEnd > start &&
    afterEnd > start &&
    (before[beforeEnd - 1] === after[afterEnd - 1] || correspond(before[beforeEnd - 1], after[afterEnd - 1]))
  ) {
    beforeEnd--;
    afterEnd--;
  }

  let b = start;
  let a = start;
  /** Brings both lists to a pair that corresponds: what lies before it is changed in place, removed, added. */
  const reach = (beforeNext: number, afterNext: number) => {
    while (b < beforeNext && a < afterNext) diffElement(before, b++, after, a++, path, patch);
    while (b < beforeNext) {
      add(patch, { op: "remove", path: memberPointer(path, a) });
      b++;
    }
    while (a < afterNext) {
      const value = after[a];
      add(patch, { op: "add", path: memberPointer(path, a++), value: hasJson(value) ? value : null });
    }
  };
  if (b < beforeEnd && a < afterEnd) {
    for (const [i, j] of alignLists(before.slice(b, beforeEnd), after.slice(a, afterEnd))) {
      reach(start + i, start + j);
      diffElement(before, b++, after, a++, path, patch);
    }
  }
  reach(beforeEnd, afterEnd);
  const shift = beforeEnd - afterEnd;
  for (let index = afterEnd; index < after.length; index++) {
    if (before[index + shift] !== after[index]) diffElement(before, index + shift, after, index, path, patch);
  }
}

function diffElement(
  before: List,
  beforeIndex: number,
  after: List,
  afterIndex: number,
  path: string,
  patch: PatchUnderWay,
): void {
  const old = before[beforeIndex];
  const value = after[afterIndex];
  if (old !== value)
    diffValue(old ?? null, hasJson(value) ? value : null, memberPointer(path, afterIndex), patch);
}
