// Incremental JSON beside JSON.parse, and beside what the field reads partial arguments with.
import { JSONParser } from "@streamparser/json";
import { parsePartialJson } from "ai";
import { parse as parsePartial } from "partial-json";
import { from } from "rxjs";
import untruncateModule from "untruncate-json";
import { createJsonAccumulator, partialJson } from "@agrx/core";
import { bench } from "./harness.js";

// A CommonJS module with a default export arrives wrapped or not, by the loader.
const untruncate = (
  typeof untruncateModule === "function"
    ? untruncateModule
    : (untruncateModule as { default: unknown }).default
) as (json: string) => string;

const row = (id: number) => ({ id, name: `name ${id}`, tags: ["a", "b"], ok: true, n: 1.5 });
const rows = (count: number, first = 0) => Array.from({ length: count }, (_, i) => row(first + i));
const documents: Record<string, (size: number) => string> = {
  "one long text": (size) => JSON.stringify({ text: "lorem ipsum\n".repeat(Math.ceil(size / 13)) }),
  "sections of 64 rows": (size) =>
    JSON.stringify({
      sections: Array.from({ length: Math.ceil(size / 66 / 64) }, (_, i) => ({
        title: `s${i}`,
        rows: rows(64, i * 64),
      })),
    }),
  "a flat array of rows": (size) => JSON.stringify({ rows: rows(Math.ceil(size / 66)) }),
};
const cut = (json: string) => json.match(/[^]{1,12}/g)!;
const kB = 1024;

const push = (fragments: string[], read: boolean) => () => {
  const json = createJsonAccumulator();
  for (const fragment of fragments) {
    json.push(fragment);
    if (read) void json.value;
  }
  return json.value;
};
const operator = (fragments: string[]) => () => {
  let last: unknown;
  from(fragments)
    .pipe(partialJson())
    .subscribe((value) => (last = value));
  return last;
};
const streamParser = (fragments: string[]) => () => {
  const parser = new JSONParser({ emitPartialTokens: true, emitPartialValues: true });
  parser.onValue = () => undefined;
  for (const fragment of fragments) parser.write(fragment);
};

const bars: Record<string, readonly [push: number, read: number | undefined, streamparser: number]> = {
  "one long text": [8, 15, 1 / 3],
  "sections of 64 rows": [5, 15, 1 / 3],
  "a flat array of rows": [5, 40, 2 / 3],
};

for (const [name, make] of Object.entries(documents)) {
  await bench(`json: 256 kB in fragments of 12, ${name}`, async ({ race, ratio, growth }) => {
    const json = make(256 * kB);
    const fragments = cut(json);
    const [atMostPush, atMostRead, atMostOfStreamParser] = bars[name]!;
    const times = await race(
      {
        "JSON.parse, once": () => JSON.parse(json),
        "push, read at the end": push(fragments, false),
        "push, read after each": push(fragments, true),
        "partialJson()": operator(fragments),
        "@streamparser/json": streamParser(fragments),
      },
      { rounds: 7, count: fragments.length, unit: "fragment" },
    );
    const parse = times["JSON.parse, once"];
    ratio("push of JSON.parse", times["push, read at the end"], parse, { atMost: atMostPush });
    ratio("push of @streamparser/json", times["push, read at the end"], times["@streamparser/json"], {
      atMost: atMostOfStreamParser,
    });
    ratio("read after each of JSON.parse", times["push, read after each"], parse, { atMost: atMostRead! });
    ratio("partialJson() of JSON.parse", times["partialJson()"], parse, { atMost: 15 });
    // Three times as much a fragment at 16 times the size is an exponent of 1.4.
    const sizes = [256 * kB, 4096 * kB] as const;
    await growth("push", (size) => push(cut(make(size)), false), sizes, { atMost: 1.4, rounds: 2 });
    await growth("partialJson()", (size) => operator(cut(make(size))), sizes, { atMost: 1.4, rounds: 2 });
  });
}

await bench(
  "json: 16 kB in fragments of 12, a value after each, beside the peers",
  async ({ race, ratio, growth }) => {
    const make = documents["sections of 64 rows"]!;
    const each = (size: number, read: (soFar: string) => unknown) => {
      const fragments = cut(make(size));
      return async () => {
        let soFar = "";
        for (const fragment of fragments) {
          soFar += fragment;
          try {
            await read(soFar);
          } catch {
            // The peers throw at some prefixes; the time counts all the same.
          }
        }
      };
    };
    const size = 16 * kB;
    const times = await race(
      {
        createJsonAccumulator: push(cut(make(size)), true),
        "partial-json": each(size, parsePartial),
        "untruncate-json, and JSON.parse": each(size, (soFar) => JSON.parse(untruncate(soFar))),
        "ai: parsePartialJson": each(size, parsePartialJson),
      },
      { rounds: 5, warmup: 50 },
    );
    const { createJsonAccumulator: ours } = times;
    ratio("of partial-json", ours, times["partial-json"]);
    ratio("of untruncate-json", ours, times["untruncate-json, and JSON.parse"]);
    ratio("of ai", ours, times["ai: parsePartialJson"]);
    await growth("partial-json", (length) => each(length, parsePartial), [8 * kB, 16 * kB], { rounds: 2 });
    await growth("createJsonAccumulator", (length) => push(cut(make(length)), true), [8 * kB, 16 * kB], {
      rounds: 5,
    });
  },
);
