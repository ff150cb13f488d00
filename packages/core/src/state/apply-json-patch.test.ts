import { readFileSync } from "node:fs";
import { join } from "node:path";
import { applyJsonPatch, type JsonPatchOperation } from "@agrx/core";

interface SuiteCase {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch: JsonPatchOperation[];
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}

const suite = join(__dirname, "../../../../node_modules/json-patch-test-suite");
const suiteCases = ["tests.json", "spec_tests.json"].flatMap((file) =>
  (JSON.parse(readFileSync(join(suite, file), "utf8")) as SuiteCase[]).map(
    (testCase, position) =>
      [`${file} ${position}: ${testCase.comment ?? testCase.error ?? ""}`, testCase] as const,
  ),
);
// "op" twice in one object: JSON.parse keeps the last, so no program that reads a value can see it.
const cannotBeSeen = ["duplicate ops", "A.13 Invalid JSON Patch Document"];

/** Freezes a document all the way down: a write to it throws. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

const patch = (...operations: unknown[]) => operations as JsonPatchOperation[];
const failure = (document: unknown, operations: JsonPatchOperation[]) => {
  try {
    applyJsonPatch(document, operations);
  } catch (error) {
    return error as { name: string; code: string; index: number; path: string; message: string };
  }
  throw new Error("the patch applied");
};

describe("applyJsonPatch on the public test suite", () => {
  test.each(suiteCases)("%s", (_title, { comment, doc, patch, expected, error }) => {
    if (cannotBeSeen.includes(comment ?? "")) return;
    const before = deepFreeze(structuredClone(doc));
    if (error !== undefined) expect(failure(before, patch).name).toBe("PatchError");
    else {
      const after = applyJsonPatch(before, deepFreeze(patch));
      if (expected !== undefined) expect(after).toEqual(expected);
    }
    expect(before).toEqual(doc);
  });
});

describe("applyJsonPatch", () => {
  it("keeps the reference of everything off the path", () => {
    const before = deepFreeze({ a: { b: { c: 1 }, d: {} }, e: [{}, { f: 1 }, {}] });
    const after = applyJsonPatch(before, patch({ op: "replace", path: "/e/1/f", value: 2 }));
    expect(after).toEqual({ a: { b: { c: 1 }, d: {} }, e: [{}, { f: 2 }, {}] });
    expect(after.a).toBe(before.a);
    expect(after.e[0]).toBe(before.e[0]);
    expect(after.e[2]).toBe(before.e[2]);
  });

  test.each([
    ["no operation", []],
    ["a test", [{ op: "test", path: "/a", value: { b: 1 } }]],
    ["a replace with the same value", [{ op: "replace", path: "/a/b", value: 1 }]],
    ["a move to where it is", [{ op: "move", from: "/a/b", path: "/a/b" }]],
  ])("gives the very same document for %s", (_title, operations) => {
    const before = deepFreeze({ a: { b: 1 } });
    expect(applyJsonPatch(before, patch(...operations))).toBe(before);
  });

  it("leaves the document untouched when the last of many operations fails", () => {
    const before = deepFreeze({ list: [1, 2, 3], map: { a: {} } });
    const error = failure(
      before,
      patch(
        { op: "add", path: "/list/0", value: 0 },
        { op: "remove", path: "/map/a" },
        { op: "test", path: "/list/1", value: 2 },
      ),
    );
    expect(error).toMatchObject({ name: "PatchError", code: "test-failed", index: 2, path: "/list/1" });
    expect(before).toEqual({ list: [1, 2, 3], map: { a: {} } });
  });

  describe.each(["__proto__", "constructor", "prototype"])("refuses %s", (key) => {
    const document = () => JSON.parse(`{ "a": { "${key}": { "x": 1 } } }`) as unknown;
    test.each([
      ["add", { op: "add", path: `/${key}`, value: 1 }],
      ["add below it", { op: "add", path: `/a/${key}/polluted`, value: 1 }],
      ["replace", { op: "replace", path: `/a/${key}/x`, value: 1 }],
      ["remove", { op: "remove", path: `/a/${key}` }],
      ["test", { op: "test", path: `/a/${key}/x`, value: 1 }],
      ["copy from it", { op: "copy", from: `/a/${key}`, path: "/b" }],
      ["move from it", { op: "move", from: `/a/${key}`, path: "/b" }],
      ["move to it", { op: "move", from: "/a", path: `/b/${key}` }],
    ])("in %s", (_title, operation) => {
      expect(failure(document(), patch(operation))).toMatchObject({ code: "forbidden-key", index: 0 });
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    });
  });

  it("keeps such a key as data where a patch does not go through it", () => {
    const before = JSON.parse('{ "a": { "__proto__": { "x": 1 }, "n": 1 } }') as { a: { n: number } };
    const after = applyJsonPatch(before, patch({ op: "replace", path: "/a/n", value: 2 }));
    expect(JSON.stringify(after)).toBe('{"a":{"__proto__":{"x":1},"n":2}}');
  });

  test.each([
    ["an inherited member", {}, { op: "test", path: "/toString", value: 1 }, "path-not-found"],
    [
      "an inherited method as a source",
      {},
      { op: "copy", from: "/hasOwnProperty", path: "/a" },
      "path-not-found",
    ],
    ["the length of an array", [1], { op: "replace", path: "/length", value: 0 }, "invalid-index"],
    ["an index with a leading zero", [1, 2], { op: "remove", path: "/01" }, "invalid-index"],
    ["the place behind an array, to read", [1], { op: "test", path: "/-", value: 1 }, "invalid-index"],
    ["a place past the end", [1], { op: "add", path: "/2", value: 1 }, "invalid-index"],
    ["a member of a string", { a: "text" }, { op: "add", path: "/a/b", value: 1 }, "path-not-found"],
    ["a member of null", { a: null }, { op: "add", path: "/a/b", value: 1 }, "path-not-found"],
    ["a replace of nothing", {}, { op: "replace", path: "/a", value: 1 }, "path-not-found"],
    ["a move into itself", { a: { b: {} } }, { op: "move", from: "/a", path: "/a/b/c" }, "move-into-itself"],
    ["a move of all into itself", { a: 1 }, { op: "move", from: "", path: "/b" }, "move-into-itself"],
    ["a pointer without a slash", { a: 1 }, { op: "remove", path: "a" }, "malformed-operation"],
    ["a broken escape", { "~": 1 }, { op: "remove", path: "/~" }, "malformed-operation"],
    ["no path", {}, { op: "add", value: 1 }, "malformed-operation"],
    [
      "an inherited value",
      {},
      Object.assign(Object.create({ value: 1 }), { op: "add", path: "/a" }),
      "malformed-operation",
    ],
    ["no operation at all", {}, null, "malformed-operation"],
  ])("refuses %s", (_title, document, operation, code) => {
    expect(failure(document, patch(operation)).code).toBe(code);
  });

  it("replaces, tests, copies and removes the whole document", () => {
    expect(applyJsonPatch<unknown>({ a: 1 }, patch({ op: "replace", path: "", value: [1] }))).toEqual([1]);
    expect(applyJsonPatch<unknown>("foo", patch({ op: "add", path: "", value: "bar" }))).toBe("bar");
    expect(applyJsonPatch({ a: 1 }, patch({ op: "test", path: "", value: { a: 1 } }))).toEqual({ a: 1 });
    expect(applyJsonPatch({ a: 1 }, patch({ op: "copy", from: "", path: "/b" }))).toEqual({
      a: 1,
      b: { a: 1 },
    });
    expect(applyJsonPatch({ a: 1 }, patch({ op: "move", from: "/a", path: "" }))).toBe(1);
    expect(applyJsonPatch({ a: 1 }, patch({ op: "remove", path: "" }))).toBeNull();
  });

  it("does not let two copies change together", () => {
    const after = applyJsonPatch<unknown>(
      deepFreeze({ a: { b: { c: 1 } } }),
      patch(
        { op: "replace", path: "/a/b/c", value: 2 },
        { op: "copy", from: "/a", path: "/x" },
        { op: "replace", path: "/x/b/c", value: 3 },
        { op: "add", path: "/a/b/d", value: 4 },
      ),
    );
    expect(after).toEqual({ a: { b: { c: 2, d: 4 } }, x: { b: { c: 3 } } });
  });

  it("never changes a value that came with the patch", () => {
    const operations = deepFreeze(
      patch({ op: "add", path: "/a", value: { list: [] } }, { op: "add", path: "/a/list/-", value: 1 }),
    );
    expect(applyJsonPatch<unknown>({}, operations)).toEqual({ a: { list: [1] } });
  });

  it("compares values that are nested deeper than the call stack", () => {
    const deep = () => JSON.parse("[".repeat(100_000) + "]".repeat(100_000)) as unknown;
    const before = { a: deep() };
    expect(applyJsonPatch(before, patch({ op: "test", path: "/a", value: deep() }))).toBe(before);
  });

  it("says which operation failed and where, and nothing of the document", () => {
    const { message } = failure({ secret: "s3cret" }, patch({ op: "test", path: "/secret", value: "other" }));
    expect(message).toBe('Operation 0 ("test" at "/secret") finds another value.');
  });
});
