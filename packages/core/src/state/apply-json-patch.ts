import type { JsonPatchOperation } from "../protocol/vocabulary.js";
import { isJsonEqual } from "./is-json-equal.js";
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
  const name: unknown = (operation as JsonPatchOperation | null)?.op;
  const fail = (code: PatchErrorCode, path: string, what: string): never => {
    const message = `Operation ${index} of the patch (${String(name)} at "${path}"): ${what}`;
    throw new PatchError({ code, index, path, message });
  };
  const target = (): Location => locate(operation.path, fail);
  const source = (): Location => locate((operation as { from: string }).from, fail);
  const value = (): unknown => {
    const given = Object.hasOwn(operation, "value") ? (operation as { value: unknown }).value : undefined;
    if (given !== undefined) return given;
    return fail("malformed-operation", operation.path, `it needs a "value", which is missing.`);
  };

  switch (name) {
    case "add":
      return insert(draft, target(), value());
    case "remove":
      return remove(draft, target());
    case "replace":
      return replace(draft, target(), value());
    case "move":
      return move(draft, source(), target());
    case "copy": {
      const copied = read(draft, source());
      disown(draft, copied);
      return insert(draft, target(), copied);
    }
    case "test": {
      const found = read(draft, target());
      if (isJsonEqual(found, value())) return;
      return fail("test-failed", operation.path, "another value is there than the one tested for.");
    }
    default:
      fail("malformed-operation", String(operation?.path), `"op" has to be one of RFC 6902.`);
  }
}

type Fail = (code: PatchErrorCode, path: string, what: string) => never;

/** A place in the document as a pointer names it, and how to fail there. */
interface Location {
  readonly pointer: string;
  /** The pointer's segments, "" for the document itself first. */
  readonly segments: readonly string[];
  readonly fail: Fail;
}

function locate(pointer: unknown, fail: Fail): Location {
  const segments = pointerSegments(pointer);
  if (!segments) return fail("malformed-operation", String(pointer), `"path" and "from" are JSON Pointers.`);
  const key = segments.find(isForbiddenKey);
  if (key !== undefined) fail("forbidden-key", String(pointer), `"${key}" is no key of data.`);
  return { pointer: pointer as string, segments, fail };
}

/** The key under which a container holds its member; an error where there is none. */
function memberKey(container: unknown, segment: string, { pointer, fail }: Location): string | number {
  if (Array.isArray(container)) {
    const index = arrayIndex(segment);
    if (index === undefined) return fail("invalid-index", pointer, `"${segment}" is no index of an array.`);
    if (index < container.length) return index;
  } else if (typeof container === "object" && container !== null && Object.hasOwn(container, segment)) {
    return segment;
  }
  return fail("path-not-found", pointer, `there is no "${segment}".`);
}

const arrayIndex = (segment: string): number | undefined =>
  /^(?:0|[1-9]\d*)$/.test(segment) ? Number(segment) : undefined;

function read(draft: Draft, location: Location): unknown {
  let value: unknown = draft.holder;
  for (const segment of location.segments) {
    value = (value as Container)[memberKey(value, segment, location)];
  }
  return value;
}

/** The container that holds the location, its whole path made the patch's own. */
function openParent(draft: Draft, location: Location): Container {
  const { segments } = location;
  let container = draft.holder;
  for (let i = 0; i < segments.length - 1; i++) {
    const key = memberKey(container, segments[i]!, location);
    let child = container[key];
    if (typeof child === "object" && child !== null && !draft.owned.has(child)) {
      child = Array.isArray(child) ? child.slice() : { ...child };
      draft.owned.add(child);
      container[key] = child;
    }
    container = child as Container;
  }
  return container;
}

function insert(draft: Draft, location: Location, value: unknown): void {
  const parent = openParent(draft, location);
  const segment = location.segments.at(-1)!;
  if (Array.isArray(parent)) {
    const index = segment === "-" ? parent.length : arrayIndex(segment);
    if (index === undefined || index > parent.length) {
      location.fail(
        "invalid-index",
        location.pointer,
        `"${segment}" is no place in an array of ${parent.length}.`,
      );
    } else if (index === parent.length) parent.push(value);
    else parent.splice(index, 0, value);
  } else if (typeof parent === "object" && parent !== null) {
    parent[segment] = value;
  } else {
    location.fail("path-not-found", location.pointer, "what should hold the value is no container.");
  }
}

function remove(draft: Draft, location: Location): void {
  const parent = openParent(draft, location);
  const key = memberKey(parent, location.segments.at(-1)!, location);
  if (Array.isArray(parent)) parent.splice(key as number, 1);
  else if (parent === draft.holder) parent[key] = null;
  else delete parent[key];
}

function replace(draft: Draft, location: Location, value: unknown): void {
  if (read(draft, location) === value) return;
  const parent = openParent(draft, location);
  parent[memberKey(parent, location.segments.at(-1)!, location)] = value;
}

function move(draft: Draft, from: Location, to: Location): void {
  const moved = read(draft, from);
  if (from.pointer === to.pointer) return;
  if (to.pointer.startsWith(`${from.pointer}/`)) {
    from.fail("move-into-itself", to.pointer, "a value cannot be moved into itself.");
  }
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
