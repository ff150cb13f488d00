import fc from "fast-check";
import { ArgumentText } from "./argument-text.js";

const runs = { seed: 11, numRuns: process.env["AGRX_SOAK"] ? 20000 : 1000 };

/** What passes on, and the text, when fragments are pushed one by one. */
function join(fragments: readonly string[], free = false) {
  const text = new ArgumentText(free);
  const passed = fragments.map((fragment) => text.push(fragment));
  return { passed: [...passed, text.end()], text: text.text, whole: text.whole };
}

function cut(text: string, places: readonly number[]): string[] {
  const at = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return at.slice(1).map((end, n) => text.slice(at[n], end));
}

/** Objects whose text begins again and again as it began. */
const selfSimilar = fc.letrec((tie) => ({
  value: fc.oneof(
    { withCrossShrink: true, maxDepth: 4 },
    fc.constant(1),
    fc.constant('{"a":1}'),
    tie("object"),
  ),
  object: fc.oneof(
    fc.record({ a: tie("value") }),
    fc.array(tie("value"), { minLength: 1, maxLength: 3 }),
    fc.record({ a: tie("value"), b: tie("value") }),
  ),
}));

describe("ArgumentText", () => {
  it("passes every JSON text on byte for byte, wherever it is cut", () => {
    const texts = fc
      .oneof(selfSimilar.object as fc.Arbitrary<object>, fc.object(), fc.array(fc.jsonValue()))
      .map((value) => JSON.stringify(value));
    fc.assert(
      fc.property(texts, fc.array(fc.nat(200), { maxLength: 8 }), (whole, places) => {
        const { passed, text } = join(cut(whole, places));
        expect(passed.join("")).toBe(whole);
        expect(text).toBe(whole);
      }),
      runs,
    );
  });

  it("gives a text that is sent again from its beginning each time once", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(200), { minLength: 1, maxLength: 8 }), (places) => {
        const whole = '{"path":"src/index.ts","lines":[1,2,{"from":3}]}';
        // The first piece ends inside a name: after a colon, it could go on as a nested object.
        const ends = [4, ...places.map((place) => 5 + (place % (whole.length - 5))), whole.length];
        const resent = [...new Set(ends)].sort((a, b) => a - b).map((end) => whole.slice(0, end));
        expect(join(resent).text).toBe(whole);
      }),
      runs,
    );
  });

  it("waits with a fragment that may be a nested value or the text once more", () => {
    expect(join(['{"a":', '{"a":1', '{"a":1}']).passed).toEqual(['{"a":', "", "1}", ""]);
    expect(join(['{"a":', '{"a":1', "}}"]).passed).toEqual(['{"a":', "", '{"a":1}}', ""]);
    expect(join(['{"a":', '{"a":1']).text).toBe('{"a":{"a":1');
  });

  it.each([
    ["the same text", ['{"a":1}', '{"a":1}'], '{"a":1}'],
    ["the same value, written in another way", ['{"a":1}', '{ "a": 1 }'], '{"a":1}'],
    ["the same text twice", ['{"a":1}', '{"a":1}{"a":1}'], '{"a":1}'],
    ["white space", ['{"a":1}', "\n "], '{"a":1}\n '],
    ["another value", ['{"a":1}', '{"a":2}'], '{"a":1}{"a":2}'],
    ["the beginning of the same text", ['{"a":1}', '{"a"'], '{"a":1}{"a"'],
    ["a repeat in one fragment", ['{"a":1}{"a":1}'], '{"a":1}'],
  ])("after whole arguments: %s", (_, fragments, text) => {
    expect(join(fragments).text).toBe(text);
    expect(join(fragments).passed.join("")).toBe(text);
  });

  it("is not closed by brackets inside strings, however they are cut and escaped", () => {
    const whole = '{"code":"}\\"}]\\\\","next":{"deep":"\\\\\\""}}';
    for (let at = 0; at <= whole.length; at++) {
      const text = new ArgumentText(false);
      text.push(whole.slice(0, at));
      if (at < whole.length) expect(text.whole).toBe(false);
      text.push(whole.slice(at));
      expect(text.whole).toBe(true);
    }
  });

  it("holds the first half of a surrogate pair until the second comes, and gives a lone one at the end", () => {
    expect(join(['{"e":"\ud83d', '\ude00"}']).passed).toEqual(['{"e":"', '😀"}', ""]);
    expect(join(['{"e":"\ud83d']).passed).toEqual(['{"e":"', "\ud83d"]);
  });

  it("looks for nothing in free text", () => {
    expect(join(["{}", "{}", "{}{}"], true).text).toBe("{}{}{}{}");
  });

  it("adds what the provider's last word has beyond the fragments", () => {
    const text = new ArgumentText(false);
    text.push('{"a":');
    expect(text.complete('{"a":1}')).toBe("1}");
    expect(text.complete('{ "a": 1 }')).toBe("");
    expect(text.text).toBe('{"a":1}');
  });

  it("keeps fragments and a last word that contradict each other, as no JSON", () => {
    const text = new ArgumentText(false);
    text.push('{"a":1}');
    text.complete('{"a":2}');
    text.end();
    expect(text.text).toBe('{"a":1}{"a":2}');
  });
});
