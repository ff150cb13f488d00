import { existsSync, readFileSync } from "node:fs";
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
  it("has the suite", () => expect(existsSync(suite)).toBe(true));

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
