import fc from "fast-check";

/** Whether the full counts are asked for. */
export const soak = Boolean(process.env["AGRX_SOAK"]);

const oddKey = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "id",
    "",
    "/",
    "~",
    "a/b",
    "~1",
    "~0",
    "0",
    "-",
    "length",
    "toString",
    "__proto__",
    "constructor",
    "prototype",
  ),
  fc.string({ maxLength: 3 }),
);
const oddLeaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, "", "__proto__", 1e21, 0.1, 'é\u{1f600}\ud800\n"'),
  fc.integer(),
  fc.string({ maxLength: 30 }),
);

/** JSON values with the keys that patches stumble over, as JSON.parse gives them. */
export const oddJson: fc.Arbitrary<unknown> = fc
  .letrec((tie) => ({
    value: fc.oneof({ maxDepth: 4, depthSize: "small" }, oddLeaf, tie("list"), tie("object")),
    list: fc.array(tie("value"), { maxLength: 6 }),
    object: fc.dictionary(oddKey, tie("value"), { maxKeys: 6, noNullPrototype: true }),
  }))
  .value.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
