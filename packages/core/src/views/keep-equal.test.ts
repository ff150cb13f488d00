import { isSameList, keepEqual } from "./keep-equal.js";

describe("keepEqual", () => {
  it("gives the previous value where both are equal, whatever the order of keys", () => {
    const previous = { a: [1, { b: 2 }], c: null };
    expect(keepEqual(previous, { c: null, a: [1, { b: 2 }] })).toBe(previous);
  });

  it("gives the next value with the previous one's equal members, and changes neither", () => {
    const previous = Object.freeze({ same: { a: 1 }, other: { b: 1 }, gone: 1 });
    const next = Object.freeze({ same: { a: 1 }, other: { b: 2 }, fresh: [] });
    const kept = keepEqual(previous, next);
    expect(kept).toEqual(next);
    expect(kept.same).toBe(previous.same);
    expect(kept.other).toBe(next.other);
  });

  it.each<[unknown, unknown]>([
    [undefined, { a: 1 }],
    [null, {}],
    [[1], { 0: 1 }],
    [{}, []],
    ["a", "b"],
    [[[1]], [[1], 2]],
  ])("gives the next value as it is for %j and %j", (previous, next) => {
    expect(keepEqual(previous, next)).toBe(next);
  });

  it("keeps a member called __proto__ a member", () => {
    const previous = JSON.parse('{"__proto__":{"a":1},"b":1}') as object;
    const next = JSON.parse('{"__proto__":{"a":1},"b":2}') as object;
    const kept = keepEqual(previous, next);
    expect(Object.keys(kept)).toEqual(["__proto__", "b"]);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
  });
});

describe("isSameList", () => {
  it("knows the very same items in the same order", () => {
    const item = {};
    expect(isSameList([item, 1], [item, 1])).toBe(true);
    expect(isSameList([item], [{}])).toBe(false);
    expect(isSameList([], [1])).toBe(false);
  });
});
