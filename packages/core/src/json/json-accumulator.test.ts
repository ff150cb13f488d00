import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { createJsonAccumulator } from "./json-accumulator.js";
import { readSlowly } from "./slow-json.fixture.js";

const numRuns = process.env["AGRX_SOAK"] ? 20_000 : 400;

/** Strings with what is hard about strings: quotes, escapes, control characters, halves of characters. */
const oddString = fc.array(
  fc.constantFrom(
    '"',
    "\\",
    "/",
    "\n",
    "\u0001",
    "é",
    "😀",
    "\ud83d",
    "\ude00",
    "a",
    "__proto__",
    "{",
    "]",
    ",",
  ),
  { maxLength: 6 },
);
const key = fc.oneof(
  fc.constantFrom("a", "b", "__proto__", "constructor", "0", "1", ""),
  oddString.map((parts) => parts.join("")),
);
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.constantFrom<unknown>(true, false, null, 0, -0, 1.5, -12e-7, 1e21),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      oddString.map((parts) => parts.join("")),
    ),
    fc.array(tie("document"), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie("document")), { maxLength: 4 }).map((entries) => {
      const object = {};
      for (const [name, value] of entries)
        Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
      return object;
    }),
  ),
}));

/** The document's text, laid out and escaped in any of the ways JSON allows. */
const text = fc
  .tuple(
    document,
    fc.constantFrom(0, 1, "\t"),
    fc.boolean(),
    fc.boolean(),
    fc.constantFrom("", " ", "\r\n\t "),
  )
  .map(([value, indent, escapeAll, rawControls, edge]) => {
    let json = JSON.stringify(value, undefined, indent) ?? "null";
    if (escapeAll)
      json = json.replace(
        /[é😀\ud800-\udfff]/g,
        (c) => `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`,
      );
    if (rawControls) json = json.replace(/(?<!\\)\\n/g, "\n").replace(/(?<!\\)\\u0001/g, "\u0001");
    return edge + json + edge;
  });

/** A text that was damaged somewhere. */
const damaged = fc
  .tuple(text, fc.nat(), fc.constantFrom("", "x", ",", '"', "}", "\\", "0", "-", ".", "e", "nul", "\u00a0"))
  .map(([json, at, insert]) => {
    const position = at % (json.length + 1);
    return json.slice(0, position) + insert + json.slice(position + (insert === "" ? 1 : 0));
  });

const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });

function cut(json: string, sizes: readonly number[]): string[] {
  const fragments: string[] = [];
  for (let position = 0, i = 0; position < json.length; i++) {
    const size = sizes[i % sizes.length]!;
    fragments.push(json.slice(position, position + size));
    position += size;
  }
  return fragments;
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

const sanitize = (json: string) => {
  let inString = false;
  let result = "";
  for (let i = 0; i < json.length; i++) {
    const character = json[i]!;
    if (character === "\\" && inString) {
      result += character + (json[++i] ?? "");
      continue;
    }
    if (character === '"') inString = !inString;
    result += inString && character < " " ? JSON.stringify(character).slice(1, -1) : character;
  }
  return result;
};

describe("createJsonAccumulator", () => {
  it("shows at every cut exactly what a slow reader of the whole prefix is sure of, and never changes it", () => {
    fc.assert(
      fc.property(fc.oneof(text, damaged), cuts, (json, sizes) => {
        const accumulator = createJsonAccumulator();
        const shown: { value: unknown; copy: string | undefined }[] = [];
        let prefix = "";
        let invalid = false;
        for (const fragment of cut(json, sizes)) {
          prefix += fragment;
          accumulator.push(fragment);
          const slow = readSlowly(prefix);
          if ("invalid" in slow) {
            invalid = true;
            expect(accumulator.error?.code).toBe("invalid");
            expect(accumulator.complete).toBe(false);
          } else {
            expect(invalid).toBe(false);
            expect(accumulator.error).toBeUndefined();
            const value = freeze(accumulator.value);
            expect(value).toEqual(slow.value);
            expect(JSON.stringify(value)).toBe(JSON.stringify(slow.value));
            shown.push({ value, copy: JSON.stringify(value) });
          }
          expect(accumulator.raw).toBe(prefix);
        }
        for (const { value, copy } of shown) expect(JSON.stringify(value)).toBe(copy);
      }),
      { seed: 1, numRuns },
    );
  });

  it("ends with what JSON.parse reads, raw control characters apart, or with an error", () => {
    fc.assert(
      fc.property(fc.oneof(text, damaged), cuts, fc.boolean(), (json, sizes, readEach) => {
        const accumulator = createJsonAccumulator();
        for (const fragment of cut(json, sizes)) {
          accumulator.push(fragment);
          if (readEach) freeze(accumulator.value);
        }
        const error = accumulator.end();
        let parsed: unknown;
        try {
          parsed = JSON.parse(sanitize(json));
        } catch {
          expect(error).toBeDefined();
          expect(accumulator.complete).toBe(false);
          return;
        }
        expect(error).toBeUndefined();
        expect(accumulator.complete).toBe(true);
        expect(isDeepStrictEqual(accumulator.value, parsed)).toBe(true);
        expect(JSON.stringify(accumulator.value)).toBe(JSON.stringify(parsed));
      }),
      { seed: 2, numRuns },
    );
  });

  it("gives the same however the text is cut and whenever it is read", () => {
    fc.assert(
      fc.property(text, cuts, cuts, fc.array(fc.boolean(), { minLength: 1 }), (json, some, others, reads) => {
        const one = createJsonAccumulator();
        const other = createJsonAccumulator();
        cut(json, some).forEach((fragment) => one.push(fragment));
        cut(json, others).forEach((fragment, i) => {
          other.push(fragment);
          if (reads[i % reads.length]!) void other.value;
        });
        expect(other.end()).toEqual(one.end());
        expect(isDeepStrictEqual(other.value, one.value)).toBe(true);
        expect(other.raw).toBe(json);
        expect(one.raw).toBe(json);
      }),
      { seed: 3, numRuns },
    );
  });

  it.each([
    ["", undefined],
    ['{"', {}],
    ['{"a', {}],
    ['{"a"', {}],
    ['{"a":', {}],
    ['{"a":"', { a: "" }],
    ['{"a":"x', { a: "x" }],
    ['{"a":12', {}],
    ['{"a":12,', { a: 12 }],
    ['{"a":tru', {}],
    ['{"a":true', { a: true }],
    ["[", []],
    ["[1", []],
    ["[1,", [1]],
    ["[[1,[", [[1, []]]],
    ['"x', "x"],
    ["12", undefined],
    ["12 ", 12],
    ["nul", undefined],
    ["null", null],
    ['["\\', [""]],
    ['["\\u00', [""]],
    ['["\\ud83d', [""]],
    ['["\\ud83d\\ude00', ["😀"]],
    ['["\\ud83dx', ["\ud83dx"]],
    ['["\\ud83d"', ["\ud83d"]],
  ])("shows of %j what is certain", (prefix, value) => {
    const accumulator = createJsonAccumulator();
    accumulator.push(prefix);
    expect(accumulator.value).toEqual(value);
  });

  it("shows a number while it grows when it is asked to", () => {
    const accumulator = createJsonAccumulator({ earlyNumbers: true });
    const shown: unknown[] = [];
    for (const character of '{"n":-12.5e3}') {
      accumulator.push(character);
      shown.push((freeze(accumulator.value) as { n?: number } | undefined)?.n);
    }
    expect(shown.slice(5)).toEqual([undefined, -1, -12, -12, -12.5, -12.5, -12500, -12500]);
  });

  it("keeps the last of duplicate keys, in the first one's place, as JSON.parse does", () => {
    const accumulator = createJsonAccumulator();
    accumulator.push('{"a":1,"b":2,"a":{"c":3');
    expect(JSON.stringify(accumulator.value)).toBe('{"a":{},"b":2}');
    accumulator.push("}}");
    expect(JSON.stringify(accumulator.value)).toBe('{"a":{"c":3},"b":2}');
  });

  it("makes __proto__ an own property, also inside what is copied later", () => {
    const accumulator = createJsonAccumulator();
    accumulator.push('{"__proto__":{"polluted":true,"x":"');
    const first = accumulator.value as object;
    accumulator.push("y");
    const second = accumulator.value as object;
    for (const value of [first, second]) {
      expect(Object.keys(value)).toEqual(["__proto__"]);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("gives the very same value when nothing came that shows, and the same closed parts when something did", () => {
    const accumulator = createJsonAccumulator();
    accumulator.push('{"closed":{"deep":[1,2]},"open":["x"');
    const first = accumulator.value as { closed: object; open: unknown[] };
    expect(accumulator.value).toBe(first);
    accumulator.push("  ,");
    expect(accumulator.value).toBe(first);
    accumulator.push('"y');
    const second = accumulator.value as { closed: object; open: unknown[] };
    expect(second.closed).toBe(first.closed);
    expect(second.open).not.toBe(first.open);
    expect(first.open).toEqual(["x"]);
    accumulator.push('"]');
    expect((accumulator.value as { open: unknown[] }).open).toBe(second.open);
  });

  it("refuses one container too many inside each other, and reads exactly the limit", () => {
    const within = createJsonAccumulator();
    within.push("[".repeat(512));
    expect(within.error).toBeUndefined();
    within.push("[");
    expect(within.error).toMatchObject({
      name: "JsonTextError",
      code: "invalid",
      position: 512,
      message: "No JSON at position 512: expected nothing deeper.",
    });
    const strict = createJsonAccumulator({ maxDepth: 1 });
    strict.push('{"a":{');
    expect(strict.error).toMatchObject({ code: "invalid", position: 5 });
  });

  it.each([
    ["{", 'The JSON stops at position 1: expected a key or "}" and then }.'],
    ['{"a":[1,', "The JSON stops at position 8: expected a value and then ]}."],
    ["", "The JSON stops at position 0: expected a value."],
    ['{"a":"secret', "The JSON stops at position 12: expected a string's end and then }."],
    ["-", "The JSON stops at position 1: expected a number, true, false or null."],
  ])("says at the end of %j what is missing, and reads on when more comes", (prefix, message) => {
    const accumulator = createJsonAccumulator();
    accumulator.push(prefix);
    expect(accumulator.error).toBeUndefined();
    const error = accumulator.end();
    expect(error).toMatchObject({ code: "incomplete", position: prefix.length, message });
    expect(accumulator.error).toBe(error);
    accumulator.push("");
    expect(accumulator.error).toBeUndefined();
  });

  it.each([
    ["{'a':1}", 1, 'a key or "}"'],
    ["[1,]", 3, "a value"],
    ["01", 0, "a number, true, false or null"],
    ["[1.]", 1, "a number, true, false or null"],
    ["[nan]", 1, "a number, true, false or null"],
    ['"\\x"', 2, "an escape"],
    ['"\\u00g0"', 5, "an escape"],
    ['{"a" 1}', 5, '":"'],
    ["[1 2]", 3, "a comma or an end"],
    ["{} {}", 3, "nothing"],
    ["truly", 0, "a number, true, false or null"],
    ["toString ", 0, "a number, true, false or null"],
    ["\ufeff{}", 0, "a value"],
  ])("names where %j stops being JSON, and reads nothing after it", (json, position, expected) => {
    const accumulator = createJsonAccumulator();
    accumulator.push(json);
    expect(accumulator.error).toMatchObject({ code: "invalid", position });
    expect(accumulator.error?.message).toBe(`No JSON at position ${String(position)}: expected ${expected}.`);
    const before = accumulator.value;
    accumulator.push('"more"');
    expect(accumulator.value).toBe(before);
    expect(accumulator.raw).toBe(json + '"more"');
    expect(accumulator.end()).toBe(accumulator.error);
  });

  it("knows a whole top-level number at the end only, and takes that back when digits follow", () => {
    const accumulator = createJsonAccumulator();
    accumulator.push("12");
    expect(accumulator.complete).toBe(true);
    expect(accumulator.value).toBeUndefined();
    expect(accumulator.end()).toBeUndefined();
    expect(accumulator.value).toBe(12);
    accumulator.push("3");
    accumulator.end();
    expect(accumulator.value).toBe(123);
  });

  it("reads a text of a million characters in small pieces, some cut inside a character", () => {
    const text = "line\n😀é".repeat(120_000);
    const json = JSON.stringify({ text });
    const accumulator = createJsonAccumulator();
    for (const [i, fragment] of cut(json, [12, 7]).entries()) {
      accumulator.push(fragment);
      if (i % 997 !== 0) continue;
      const shown = (accumulator.value as { text?: string }).text ?? "";
      expect(text.startsWith(shown)).toBe(true);
    }
    expect((accumulator.value as { text: string }).text === text).toBe(true);
    expect(accumulator.raw === json).toBe(true);
  });

  it("reads a number of a hundred thousand digits in small pieces", () => {
    const accumulator = createJsonAccumulator();
    for (const fragment of cut(`[${"1".repeat(100_000)}]`, [12])) accumulator.push(fragment);
    expect(accumulator.complete).toBe(true);
    expect(accumulator.value).toEqual([Infinity]);
    const bad = createJsonAccumulator();
    for (const fragment of cut(`[${"1".repeat(1_000)}.]`, [12])) bad.push(fragment);
    expect(bad.error).toMatchObject({ code: "invalid", position: 1 });
  });
});
