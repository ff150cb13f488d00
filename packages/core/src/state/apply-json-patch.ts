import { quoteId } from "../protocol/quote-id.js";
import type { JsonPatchOperation } from "../protocol/vocabulary.js";
import { isContainer, isJsonEqual } from "./is-json-equal.js";
import { isForbiddenKey, pointerSegments } from "./json-pointer.js";
import { PatchError, type PatchErrorCode } from "./patch-error.js";

type Container = Record<string | number, unknown>;

/**
 * Applies a JSON Patch (RFC 6902) and gives the new document; the one passed in is never changed.
 *
 * Atomic: a patch of which one operation fails throws and leaves nothing behind. What does not lie on a
 * path keeps its reference, so `===` tells what changed; a patch that changes nothing gives the very same
 * document. A container is copied at most once a patch, however many operations change it, and values
 * enter the document by reference. Only own properties exist; `__proto__`, `constructor` and `prototype`
 * are refused in `path` and `from`. Removing the whole document gives `null`.
 *
 * @param document - any JSON value
 * @param patch - operations, applied in order
 * @throws {@link PatchError} with `code`, the operation's `index` and the `path`
 *
 * @example
 * ```ts
 * import { applyJsonPatch } from "@agrx/core";
 *
 * const before = { todo: ["write"], done: ["read"] };
 * const after = applyJsonPatch(before, [{ op: "add", path: "/todo/-", value: "rest" }]);
 * console.log(after.todo); // [ 'write', 'rest' ]
 * console.log(after.done === before.done, before.todo.length); // true 1
 * ```
 */
export function applyJsonPatch<T>(document: T, patch: readonly JsonPatchOperation[]): T {
  // The document hangs under "": the first segment of every pointer, so the root is a member like others.
  const draft = createDraft({ "": document });
  patch.forEach((operation, index) => applyOperation(draft, operation, index));
  return draft.holder[""] as T;
}

/** The document under way, and which of its containers are this patch's own copies. */
interface Draft {
  readonly holder: Container;
  readonly owned: Set<unknown>;
}

const createDraft = (holder: Container): Draft => ({ holder, owned: new Set([holder]) });

function applyOperation(draft: Draft, operation: JsonPatchOperation, index: number): void {
  const { op, path, from, value } = (operation ?? {}) as LooseOperation;
  const place = (pointer: unknown): Place => {
    const at = String(pointer);
    const fail: Place["fail"] = (code) => {
      const message = `Operation ${index} (${quoteId(op)} at ${quoteId(pointer)}) ${reasons[code]}.`;
      throw new PatchError(code, message, { index, path: at });
    };
    const segments = pointerSegments(pointer) ?? fail("malformed-operation");
    if (segments.some(isForbiddenKey)) fail("forbidden-key");
    return { pointer: at, segments, fail };
  };

  const target = place(path);
  // An own `undefined` is none either: JSON has no word for it.
  if (/^(?:add|replace|test)$/.test(op!) && (value === undefined || !Object.hasOwn(operation, "value"))) {
    target.fail("malformed-operation");
  }
  switch (op) {
    case "add":
      return insert(draft, target, value);
    case "remove":
      return remove(draft, target);
    case "replace":
      return replace(draft, target, value);
    case "move":
      return move(draft, place(from), target);
    case "copy": {
      const copied = read(draft, place(from));
      disown(draft, copied);
      return insert(draft, target, copied);
    }
    case "test":
      if (!isJsonEqual(read(draft, target), value)) target.fail("test-failed");
      return;
    default:
      target.fail("malformed-operation");
  }
}

interface LooseOperation {
  readonly op?: string;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

const reasons: Readonly<Record<PatchErrorCode, string>> = {
  "malformed-operation": "is no operation of RFC 6902",
  "forbidden-key": "goes through __proto__, constructor or prototype",
  "path-not-found": "finds nothing there",
  "invalid-index": "names no place in the array",
  "test-failed": "finds another value",
  "move-into-itself": "would move a value into itself",
};

/** A place in the document as a pointer names it, and how to fail there. */
interface Place {
  readonly pointer: string;
  /** The pointer's segments, "" for the document itself first. */
  readonly segments: readonly string[];
  readonly fail: (code: PatchErrorCode) => never;
}

/** The key under which a container holds its member; an error where there is none. */
function memberKey(container: unknown, segment: string, { fail }: Place): string | number {
  if (Array.isArray(container)) {
    const index = arrayIndex(segment) ?? fail("invalid-index");
    if (index < container.length) return index;
  } else if (isContainer(container) && Object.hasOwn(container, segment)) return segment;
  return fail("path-not-found");
}

const arrayIndex = (segment: string): number | undefined =>
  /^(?:0|[1-9]\d*)$/.test(segment) ? Number(segment) : undefined;

function read(draft: Draft, place: Place): unknown {
  let value: unknown = draft.holder;
  for (const segment of place.segments) {
    value = (value as Container)[memberKey(value, segment, place)];
  }
  return value;
}

/** The container that holds the place, its whole path made the patch's own. */
function openParent(draft: Draft, place: Place): Container {
  let container = draft.holder;
  for (const segment of place.segments.slice(0, -1)) {
    const key = memberKey(container, segment, place);
    let child = container[key];
    if (isContainer(child) && !draft.owned.has(child)) {
      child = Array.isArray(child) ? child.slice() : { ...child };
      draft.owned.add(child);
      container[key] = child;
    }
    container = child as Container;
  }
  return container;
}

function insert(draft: Draft, place: Place, value: unknown): void {
  const parent = openParent(draft, place);
  const segment = place.segments.at(-1)!;
  if (Array.isArray(parent)) {
    const index = segment === "-" ? parent.length : arrayIndex(segment);
    if (index === undefined || index > parent.length) place.fail("invalid-index");
    else if (index === parent.length) parent.push(value);
    else parent.splice(index, 0, value);
  } else if (isContainer(parent)) parent[segment] = value;
  else place.fail("path-not-found");
}

function remove(draft: Draft, place: Place): void {
  const parent = openParent(draft, place);
  const key = memberKey(parent, place.segments.at(-1)!, place);
  if (Array.isArray(parent)) parent.splice(key as number, 1);
  else if (parent === draft.holder) parent[key] = null;
  else delete parent[key];
}

function replace(draft: Draft, place: Place, value: unknown): void {
  if (read(draft, place) === value) return;
  const parent = openParent(draft, place);
  parent[memberKey(parent, place.segments.at(-1)!, place)] = value;
}

function move(draft: Draft, from: Place, to: Place): void {
  const moved = read(draft, from);
  if (from.pointer === to.pointer) return;
  if (to.pointer.startsWith(`${from.pointer}/`)) to.fail("move-into-itself");
  remove(draft, from);
  insert(draft, to, moved);
}

/** A value that two places are about to share is no longer the patch's own to change. */
function disown(draft: Draft, value: unknown): void {
  const shared = [value];
  for (let next = shared.pop(); next !== undefined; next = shared.pop()) {
    if (!draft.owned.delete(next)) continue;
    for (const member of Object.values(next as Container)) if (draft.owned.has(member)) shared.push(member);
  }
}
