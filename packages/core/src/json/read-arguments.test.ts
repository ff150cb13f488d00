import { readArguments } from "./read-arguments.js";

describe("readArguments", () => {
  it.each([
    ['{"city":"Seoul"}', { city: "Seoul" }],
    [" [1, 2] ", [1, 2]],
    ["12", 12],
    ['{"text":"line\nnext\ttab"}', { text: "line\nnext\ttab" }],
    [
      `{"deep":${"[".repeat(600)}${"]".repeat(600)}}`,
      JSON.parse(`{"deep":${"[".repeat(600)}${"]".repeat(600)}}`),
    ],
  ])("reads %.40j whole", (text, value) => {
    expect(readArguments(text)).toEqual({ status: "complete", value });
  });

  it.each(["", " ", "{", '{"city"', '{"city":"Seo', '{"a":1,', "-", "tru", '"\\u00'])(
    "calls the unfinished prefix %j incomplete",
    (text) => {
      expect(readArguments(text)).toMatchObject({
        status: "incomplete",
        message: expect.stringContaining(`stops at position ${String(text.length)}`) as string,
      });
    },
  );

  it.each(["{'city':1}", "hello", '{"a":1}}', "[1,]", "NaN", '{"a":1}\n{"b":2}', "undefined"])(
    "calls %j invalid, since it can never become JSON",
    (text) => {
      expect(readArguments(text).status).toBe("invalid");
    },
  );

  it("names what is missing without a word of what the text holds", () => {
    expect(readArguments('{"password":"hunter2')).toEqual({
      status: "incomplete",
      message: "The JSON stops at position 20: expected a string's end and then }.",
    });
  });
});
