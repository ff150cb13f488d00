import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readArguments } from "@agrx/core";
import { ArgumentText } from "./argument-text.js";
import {
  completionRules,
  endingOf,
  isCut,
  readWhole,
  type ArgumentsKind,
  type CallEnding,
} from "./completion.js";

const endings: readonly CallEnding[] = ["marker", "finish", "cut-short", "stream-end", "failure"];

const textOf = (text: string, free = false) => {
  const joined = new ArgumentText(free);
  joined.push(text);
  joined.end();
  return joined;
};

const samples: Readonly<Record<Exclude<ArgumentsKind, "free">, readonly string[]>> = {
  empty: ["", " \n"],
  closed: ["{}", '{"a":[1]}', "[1]", ' {"a":"\n"} '],
  scalar: ["1", '"a"', "null", "true"],
  unfinished: ["{", '{"a":', '{"a":"b', "[1,", '"a', "tru", "-"],
  malformed: ['{"a":1}}', '{"a" 1}', "{]", "nope", '{"a":1}{"b":2}'],
};

describe("completionRules", () => {
  it("are the table in the documentation", () => {
    const page = readFileSync(join(__dirname, "../../../../docs/tool-calls-from-providers.md"), "utf8");
    for (const [kind, row] of Object.entries(completionRules)) {
      const cells =
        page
          .split("\n")
          .find((line) => line.startsWith(`| \`${kind}\``))
          ?.split("|") ?? [];
      expect([kind, ...cells.slice(2, 7).map((cell) => cell.trim())]).toEqual([
        kind,
        ...endings.map((ending) => row[ending]),
      ]);
    }
  });
});

describe("isCut", () => {
  it.each(Object.entries(samples).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const)))(
    "goes by the row %s for %j",
    (kind, text) => {
      for (const ending of endings) {
        const verdict = completionRules[kind as ArgumentsKind][ending];
        expect([ending, isCut(textOf(text), ending, false)]).toEqual([ending, verdict === "incomplete"]);
      }
    },
  );

  it.each(["", "SELECT 1", "{", "{}"])("goes by the row free for a custom tool's input %j", (text) => {
    for (const ending of endings) {
      expect(isCut(textOf(text, true), ending, true)).toBe(completionRules.free[ending] === "incomplete");
    }
  });

  it("never takes an unfinished prefix for a whole call, whatever ended it", () => {
    fc.assert(
      fc.property(fc.object(), fc.nat(), fc.constantFrom(...endings), (value, place, ending) => {
        const whole = JSON.stringify(value);
        const prefix = whole.slice(0, 1 + (place % (whole.length - 1)));
        expect(isCut(textOf(prefix), ending, false)).toBe(true);
      }),
      { seed: 5, numRuns: 500 },
    );
  });

  it("completes a stream that just ends only with an object or an array", () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
        const reading = readArguments(text);
        const closed =
          reading.status === "complete" && typeof reading.value === "object" && reading.value !== null;
        expect(isCut(textOf(text), "stream-end", false)).toBe(!closed);
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});

describe("readWhole", () => {
  it("gives the value of JSON, with control characters inside strings as themselves", () => {
    expect(readWhole('{"t":"a\nb\tc"}', false)).toEqual({ status: "complete", args: { t: "a\nb\tc" } });
  });

  it("says that other text is invalid", () => {
    expect(readWhole('{"a":1}}', false)).toEqual({ status: "invalid" });
  });

  it("gives a custom tool's text as it is", () => {
    expect(readWhole('{"a":1}', true)).toEqual({ status: "complete", args: '{"a":1}' });
  });
});

describe("endingOf", () => {
  it.each([
    ["stop", "finish"],
    ["tool-calls", "finish"],
    ["pause", "finish"],
    ["other", "finish"],
    ["length", "cut-short"],
    ["content-filter", "cut-short"],
    ["error", "cut-short"],
  ] as const)("reads the finish %s as %s", (reason, ending) => expect(endingOf(reason)).toBe(ending));
});
