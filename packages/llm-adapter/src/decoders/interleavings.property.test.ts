import fc from "fast-check";
import { decode } from "./decode.fixture.js";
import { openaiChat } from "./index.js";

/** A call as the model meant it. */
interface Meant {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: string;
}

/** When a server sends an id or a name: with the first part, with every part, or with one that comes later. */
type When = "first" | "always" | "late";

interface Manner {
  readonly id: When;
  readonly name: When;
  /** What stands where nothing is said. */
  readonly nothing: "absent" | "null" | "empty";
  readonly finish: string | undefined;
}

interface Part {
  readonly index?: number;
  readonly id?: string | null;
  readonly function: { readonly name?: string | null; readonly arguments: string };
}

const runs = { seed: 7, numRuns: process.env["AGRX_SOAK"] ? 5000 : 300 };

const when = fc.constantFrom<When>("first", "always", "late");
const manner: fc.Arbitrary<Manner> = fc.record({
  id: when,
  name: when,
  nothing: fc.constantFrom("absent" as const, "null" as const, "empty" as const),
  finish: fc.constantFrom("tool_calls", "stop", undefined),
});
const argumentsText = fc
  .dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));
const names = fc.constantFrom("get_weather", "roll_dice", "now");

/** Up to 16 calls; `ids` says whether the server sends any. */
const meantCalls = (ids: boolean) =>
  fc
    .array(fc.record({ name: names, args: argumentsText }), { minLength: 1, maxLength: 16 })
    .map((calls): Meant[] => calls.map((call, at) => ({ ...call, id: ids ? `call_${at}` : undefined })));

const cuts = fc.array(fc.nat(60), { minLength: 1, maxLength: 6 });

function piecesOf(text: string, places: readonly number[]): string[] {
  const at = [0, ...new Set(places.map((place) => place % (text.length + 1))), text.length].sort(
    (a, b) => a - b,
  );
  return at.slice(1).map((end, n) => text.slice(at[n], end));
}

/** The parts of one call, as a server of that manner sends them. */
function partsOf(call: Meant, index: number | undefined, pieces: readonly string[], how: Manner): Part[] {
  const said = (value: string | undefined, whenSaid: When, at: number) => {
    const late = Math.min(1, pieces.length - 1);
    if (value !== undefined && (whenSaid === "always" || at === (whenSaid === "late" ? late : 0)))
      return value;
    return how.nothing === "absent" ? undefined : how.nothing === "null" ? null : "";
  };
  return pieces.map((piece, at) => {
    const id = said(call.id, how.id, at);
    const name = said(call.name, how.name, at);
    return {
      ...(index !== undefined && { index }),
      ...(id !== undefined && { id }),
      function: { ...(name !== undefined && { name }), arguments: piece },
    };
  });
}

function read(parts: readonly (readonly Part[])[], finish: string | undefined) {
  const chunks = parts.map((tool_calls) => ({ choices: [{ index: 0, delta: { tool_calls } }] }));
  const end = { choices: [{ index: 0, delta: {}, ...(finish !== undefined && { finish_reason: finish }) }] };
  return decode([...chunks, end], openaiChat());
}

/** Lays the parts of several calls in any order that keeps each call's own. */
function interleave(lists: readonly (readonly Part[])[], order: readonly number[]): Part[] {
  const left = lists.map((list) => [...list]);
  const parts: Part[] = [];
  for (let turn = 0; left.some((list) => list.length > 0); turn++) {
    const waiting = left.filter((list) => list.length > 0);
    parts.push(waiting[(order[turn % order.length] ?? 0) % waiting.length]!.shift()!);
  }
  return parts;
}

const inOrder = (calls: readonly { name: string; arguments: string; id: string }[]) =>
  calls.map(({ id, name, arguments: args }): Meant => ({ id, name, args }));

const withoutId = ({ name, args }: Meant) => ({ name, args });
const sorted = (calls: readonly object[]) =>
  calls.map((call) => JSON.stringify(Object.entries(call).sort())).sort();

describe("openaiChat, whatever the server's manners", () => {
  it("keeps up to 16 interleaved calls apart by their index, with ids late, repeated, empty or missing", () => {
    fc.assert(
      fc.property(
        fc.boolean().chain(meantCalls),
        fc.array(cuts, { minLength: 16, maxLength: 16 }),
        fc.array(fc.nat(15), { minLength: 1, maxLength: 50 }),
        manner,
        fc.integer({ min: 1, max: 3 }),
        (meant, places, order, how, perChunk) => {
          const lists = meant.map((call, at) => partsOf(call, at, piecesOf(call.args, places[at]!), how));
          const parts = interleave(lists, order);
          const chunks: Part[][] = [];
          for (let at = 0; at < parts.length; at += perChunk) chunks.push(parts.slice(at, at + perChunk));
          const { calls } = read(chunks, how.finish);
          expect(calls.every(({ status }) => status === "complete")).toBe(true);
          const got = inOrder(calls);
          expect(new Set(got.map(({ id }) => id)).size).toBe(got.length);
          const told = meant[0]?.id === undefined ? withoutId : (call: Meant) => call;
          expect(sorted(got.map(told))).toEqual(sorted(meant.map(told)));
        },
      ),
      runs,
    );
  });

  it("keeps calls apart that come one after the other at index 0, each with an id", () => {
    fc.assert(
      fc.property(meantCalls(true), cuts, manner, (meant, places, how) => {
        const early = { ...how, id: how.id === "late" ? ("first" as const) : how.id, name: "first" as const };
        const parts = meant.flatMap((call) => partsOf(call, 0, piecesOf(call.args, places), early));
        const { calls } = read(
          parts.map((part) => [part]),
          how.finish,
        );
        expect(inOrder(calls)).toEqual(meant);
      }),
      runs,
    );
  });

  it("keeps calls apart that come one after the other without an index, each with an id and a name first", () => {
    fc.assert(
      fc.property(meantCalls(true), cuts, manner, (meant, places, how) => {
        const early = { ...how, id: how.id === "late" ? ("first" as const) : how.id, name: "first" as const };
        const parts = meant.flatMap((call) => partsOf(call, undefined, piecesOf(call.args, places), early));
        const { calls } = read(
          parts.map((part) => [part]),
          how.finish,
        );
        expect(inOrder(calls)).toEqual(meant);
      }),
      runs,
    );
  });

  it("keeps calls apart that come whole and without any id, with or without an index", () => {
    fc.assert(
      fc.property(
        meantCalls(false),
        fc.constantFrom(0, undefined),
        fc.boolean(),
        (meant, index, oneChunk) => {
          const parts = meant.map(({ name, args }) => ({
            ...(index !== undefined && { index }),
            function: { name, arguments: args },
          }));
          const { calls } = read(oneChunk ? [parts] : parts.map((part) => [part]), "tool_calls");
          expect(calls.map((call) => [call.name, call.arguments])).toEqual(
            meant.map(({ name, args }) => [name, args]),
          );
          expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
        },
      ),
      runs,
    );
  });
});
