import fc from "fast-check";
import { createPartialArgumentsWriter, type PartialArgument } from "./partial-arguments.js";

function write(...given: PartialArgument[]) {
  const writer = createPartialArgumentsWriter();
  return given.map((argument) => writer.write(argument)).join("") + writer.end();
}

/** A value as Vertex streams it: leaf by leaf in order, strings in pieces. */
function streamed(value: unknown, path = "$"): PartialArgument[] {
  if (typeof value === "string") {
    const half = Math.floor(value.length / 2);
    return [
      { path, value: value.slice(0, half), willContinue: true },
      { path, value: value.slice(half), willContinue: true },
      { path, value: "" },
    ];
  }
  if (typeof value !== "object" || value === null) return [{ path, value }];
  const children = Array.isArray(value)
    ? value.map((each: unknown, at) => streamed(each, `${path}[${at}]`))
    : Object.entries(value).map(([name, each]) => streamed(each, `${path}[${JSON.stringify(name)}]`));
  return children.flat();
}

const leaf = fc.oneof(fc.string({ unit: "binary" }), fc.integer(), fc.boolean(), fc.constant(null));
const tree = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("node"), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.string({ minLength: 1 }), tie("node"), { minKeys: 1, maxKeys: 3 }),
  ),
})).node;

describe("createPartialArgumentsWriter", () => {
  it("writes JSON that reads as the arguments, for values that come in order", () => {
    const object = fc.dictionary(fc.string({ minLength: 1 }), tree, { minKeys: 1, maxKeys: 4 });
    fc.assert(
      fc.property(object, (value) => {
        expect(JSON.parse(write(...streamed(value)))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { seed: 3, numRuns: process.env["AGRX_SOAK"] ? 10000 : 300 },
    );
  });

  it("passes a string on while it comes", () => {
    const writer = createPartialArgumentsWriter();
    expect(writer.write({ path: "$.t", value: "he", willContinue: true })).toBe('{"t":"he');
    expect(writer.write({ path: "$.t", value: 'y"', willContinue: true })).toBe('y\\"');
    expect(writer.write({ path: "$.n", value: 1 })).toBe('","n":1');
    expect(writer.end()).toBe("}");
  });

  it("writes a member once more when a path goes back into it: readers take the last", () => {
    const text = write(
      { path: "$.a.x", value: 1 },
      { path: "$.b", value: "one", willContinue: true },
      { path: "$.a.y", value: 2 },
      { path: "$.b", value: " two" },
    );
    expect(JSON.parse(text)).toEqual({ a: { x: 1, y: 2 }, b: " two" });
  });

  it("fills elements that were left out with null", () => {
    expect(write({ path: "$.a[2]", value: 1 })).toBe('{"a":[null,null,1]}');
  });

  it("writes the name __proto__ as any other", () => {
    const text = write(
      { path: "$.__proto__.x", value: 1 },
      { path: "$.b", value: 2 },
      { path: "$.__proto__.y", value: 3 },
    );
    expect(text).toBe('{"__proto__":{"x":1},"b":2,"__proto__":{"x":1,"y":3}}');
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("writes nothing when nothing came", () => expect(write()).toBe(""));
});
