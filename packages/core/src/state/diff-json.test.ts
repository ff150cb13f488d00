import fc from "fast-check";
import { applyJsonPatch, diffJson } from "@agrx/core";
import { jsonSize } from "./json-size.js";
import { oddJson, soak } from "./odd-json.fixture.js";

const row = (id: number) => ({ id, name: `name ${id}`, tags: ["a", "b"], done: false });
const rows = (count: number) => Array.from({ length: count }, (_, id) => row(id));
const text = (value: unknown) => JSON.stringify(value);

describe("diffJson", () => {
  test.each<[title: string, before: unknown, after: unknown, patch: string]>([
    ["nothing for the same value", { a: [1] }, { a: [1] }, "[]"],
    ["nothing for another order of keys", { a: 1, b: 2 }, { b: 2, a: 1 }, "[]"],
    [
      "a member that changed",
      { a: 1, long: "a text that is not sent" },
      { a: 2, long: "a text that is not sent" },
      '[{"op":"replace","path":"/a","value":2}]',
    ],
    [
      "a member that came and one that went",
      { gone: 1, long: "a long text that stays as it is, so that it is not worth while to send all" },
      { come: 1, long: "a long text that stays as it is, so that it is not worth while to send all" },
      '[{"op":"remove","path":"/gone"},{"op":"add","path":"/come","value":1}]',
    ],
    [
      "keys that a pointer escapes",
      { "a/b~c": 1, "": 1, long: "a long text that stays as it is, so that it is not worth while to send" },
      { "a/b~c": 2, "": 2, long: "a long text that stays as it is, so that it is not worth while to send" },
      '[{"op":"replace","path":"/a~1b~0c","value":2},{"op":"replace","path":"/","value":2}]',
    ],
    ["the whole where that is shorter", { a: 1 }, { b: 1 }, '[{"op":"replace","path":"","value":{"b":1}}]'],
    ["the whole for another kind of value", { a: 1 }, [1], '[{"op":"replace","path":"","value":[1]}]'],
    [
      "null for an element without JSON",
      [1, 2],
      [1, undefined],
      '[{"op":"replace","path":"/1","value":null}]',
    ],
    ["no member without JSON", { a: 1 }, { a: 1, b: undefined, c: () => 1 }, "[]"],
    ["nothing for a date of the same time", { at: new Date(0) }, { at: new Date(0) }, "[]"],
  ])("gives %s", (_title, before, after, patch) => {
    expect(text(diffJson(before, after))).toBe(patch);
  });

  it("sends a date that changed", () => {
    expect(text(diffJson({ at: new Date(0) }, { at: new Date(1) }))).toContain("1970-01-01T00:00:00.001Z");
  });

  it.each([
    ["the first row goes", (list: object[]) => list.slice(1), '[{"op":"remove","path":"/0"}]'],
    [
      "a row goes from the middle",
      (list: object[]) => [...list.slice(0, 500), ...list.slice(501)],
      '[{"op":"remove","path":"/500"}]',
    ],
    ["the last row goes", (list: object[]) => list.slice(0, -1), '[{"op":"remove","path":"/999"}]'],
    [
      "a row comes first",
      (list: object[]) => [{ id: -1 }, ...list],
      '[{"op":"add","path":"/0","value":{"id":-1}}]',
    ],
    [
      "a row of the middle changes",
      (list: object[]) => list.map((row, i) => (i === 500 ? { ...row, done: true } : row)),
      '[{"op":"replace","path":"/500/done","value":true}]',
    ],
    [
      "one goes, another changes, another comes",
      (list: object[]) => [
        ...list.slice(1, 500),
        { ...list[500], done: true },
        ...list.slice(501),
        { id: -1 },
      ],
      '[{"op":"remove","path":"/0"},{"op":"replace","path":"/499/done","value":true},{"op":"add","path":"/999","value":{"id":-1}}]',
    ],
  ])("does not write the tail again when %s", (_title, change, patch) => {
    const before = rows(1000);
    expect(text(diffJson(before, change(before)))).toBe(patch);
    // The same when nothing is shared, and when the rows have no id to be known by.
    expect(text(diffJson(before, change(rows(1000))))).toBe(patch);
    const bare = (list: object[]) => list.map(({ id, ...rest }: { id?: unknown }) => ({ ...rest, key: id }));
    expect(text(diffJson(bare(before), bare(change(before)))).length).toBeLessThan(patch.length + 100);
  });

  it("removes every other row without writing the rest", () => {
    const before = rows(1000);
    const patch = diffJson(
      before,
      before.filter(({ id }) => id % 2 === 0),
    );
    expect(patch).toHaveLength(500);
    expect(new Set(patch.map(({ op }) => op))).toEqual(new Set(["remove"]));
  });

  it("keeps what changed around a moved row", () => {
    const before = rows(1000);
    const after = [...before.slice(1), before[0]];
    expect(diffJson(before, after).map(({ op, path }) => `${op} ${path}`)).toEqual(["remove /0", "add /999"]);
  });

  it("replaces what holds a key that no patch may name", () => {
    const before = JSON.parse(
      '{ "a": { "__proto__": 1, "n": 1 }, "b": { "constructor": "a text that stays as it is", "n": 1 } }',
    ) as unknown;
    const after = JSON.parse(
      '{ "a": { "__proto__": 2, "n": 1 }, "b": { "constructor": "a text that stays as it is", "n": 2 } }',
    ) as unknown;
    const wide = (value: unknown) => Object.assign({ text: "x".repeat(200) }, value);
    const patch = diffJson(wide(before), wide(after));
    expect(patch.map(({ path }) => path)).toEqual(["/a", "/b/n"]);
    expect(text(applyJsonPatch(wide(before), patch))).toBe(text(wide(after)));
  });

  it.each(["__proto__", "constructor", "prototype"])(
    "replaces what %s comes to, goes from and changes in",
    (key) => {
      const states = ["{}", `{"${key}":1}`, `{"${key}":2}`, `{"${key}":{"a":1}}`, "{}"].map((held) => ({
        text: "x".repeat(200),
        held: {
          ...(JSON.parse(held) as object),
          n: "a text that stays as it is, so that patches of it are shorter",
        },
      }));
      states.slice(1).forEach((after, i) => {
        const patch = diffJson(states[i], after);
        expect(patch.map(({ path }) => path)).toEqual(["/held"]);
        expect(text(applyJsonPatch(states[i], patch))).toBe(text(after));
      });
    },
  );

  it("makes a patch that gives the new value, and is no longer than sending it whole", () => {
    fc.assert(
      fc.property(oddJson, oddJson, (before, after) => {
        const patch = diffJson(before, after);
        expect(applyJsonPatch(before, JSON.parse(text(patch)) as typeof patch)).toEqual(after);
        expect(text(patch).length).toBeLessThanOrEqual(
          text([{ op: "replace", path: "", value: after }]).length,
        );
      }),
      { seed: 5, numRuns: soak ? 20_000 : 500 },
    );
  });

  it("makes a patch that gives the new list, whatever came, went, moved and repeated", () => {
    const element = fc.oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.record({ id: fc.integer({ min: 0, max: 5 }), n: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ n: fc.integer({ min: 0, max: 2 }) }),
      fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 3 }),
    );
    const list = fc.array(element, { maxLength: 12 });
    fc.assert(
      fc.property(list, list, fc.array(fc.nat(), { maxLength: 12 }), (left, right, kept) => {
        // Rows of the first list, by reference, among those of the second.
        const after = right.map((value, i) =>
          left.length > 0 && (kept[i] ?? 0) % 2 === 1 ? left[kept[i]! % left.length] : value,
        );
        const wide = (value: unknown) => ({ value, text: "x".repeat(1000) });
        const patch = diffJson(wide(left), wide(after));
        expect(patch.map(({ path }) => path)).not.toContain("");
        expect(applyJsonPatch(wide(left), patch)).toEqual(wide(after));
      }),
      { seed: 6, numRuns: soak ? 50_000 : 1000 },
    );
  });
});

describe("jsonSize", () => {
  it("counts the characters of JSON.stringify", () => {
    fc.assert(
      fc.property(oddJson, (value) => {
        expect(jsonSize(value)).toBe(text(value).length);
      }),
      { seed: 7, numRuns: soak ? 20_000 : 500 },
    );
  });

  it.each([
    ["numbers that JSON has no text for", [NaN, Infinity, -0, 1e21, 1e-7]],
    ["strings that are escaped", ['"\\', "\n\u0001\u007f", "\ud800", "\u{1f600}", "é"]],
    ["what is left out", { a: undefined, b: () => 1, c: Symbol("c"), d: [undefined, () => 1] }],
    ["a date", { at: new Date(0) }],
    ["what is inherited", Object.create({ inherited: 1 }) as unknown],
    ["nothing in it", [{}, [], { a: {} }]],
  ])("counts %s", (_title, value) => {
    expect(jsonSize(value)).toBe(text(value).length);
  });

  it("stops once it is past its limit", () => {
    let read = 0;
    const counted = new Proxy(
      Array.from({ length: 1000 }, () => "x".repeat(100)),
      {
        get(target, key, receiver) {
          if (typeof key === "string" && /^\d+$/.test(key)) read++;
          return Reflect.get(target, key, receiver) as unknown;
        },
      },
    );
    expect(jsonSize(counted, 2000)).toBeGreaterThan(2000);
    expect(read).toBeLessThan(30);
  });
});
