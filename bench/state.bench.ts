// State: applying patches, making them, and publishing, beside the libraries that do the same.
import jsonPatch from "fast-json-patch";
import { enablePatches, produce, applyPatches, type Patch } from "immer";
import { applyPatch as applyRfc6902 } from "rfc6902";
import { applyJsonPatch, createStatePublisher, diffJson, type JsonPatchOperation } from "@agrx/core";
import { bench } from "./harness.js";

enablePatches();

const row = (id: number) => ({ id, name: `name ${id}`, tags: ["a", "b"], ok: true, amount: 1.5 });
const board = (count: number) => ({
  title: "Board",
  rows: Array.from({ length: count }, (_, id) => row(id)),
  settings: { theme: "dark" },
});
type Board = ReturnType<typeof board>;

const times = 100;
const repeat = (work: (turn: number) => unknown) => () => {
  for (let turn = 0; turn < times; turn++) work(turn);
};

await bench("state: one replace in 2,000 rows, applied", async ({ race, ratio, figure }) => {
  const before = board(2000);
  const replace = (turn: number): JsonPatchOperation[] => [
    { op: "replace", path: "/rows/1000/name", value: `name ${turn}` },
  ];
  const immerPatch = (turn: number): Patch[] => [
    { op: "replace", path: ["rows", 1000, "name"], value: `name ${turn}` },
  ];
  // rfc6902 changes the document it is given; who has to keep the old one clones it first.
  const own = structuredClone(before);
  const measured = await race(
    {
      applyJsonPatch: repeat((turn) => applyJsonPatch(before, replace(turn))),
      "fast-json-patch, as the reference client": repeat(
        (turn) => jsonPatch.applyPatch(before, replace(turn), true, false).newDocument,
      ),
      "rfc6902, in place": repeat((turn) => applyRfc6902(own, replace(turn))),
      "rfc6902, on a clone": repeat((turn) => applyRfc6902(structuredClone(before), replace(turn))),
      "immer applyPatches": repeat((turn) => applyPatches(before, immerPatch(turn))),
    },
    { count: times, unit: "patch" },
  );
  figure("applyJsonPatch", (measured.applyJsonPatch / times) * 1000, "us", { atMost: 10 });
  ratio(
    "applyJsonPatch of the reference client's",
    measured.applyJsonPatch,
    measured["fast-json-patch, as the reference client"],
  );
});

await bench("state: 1,000 operations on one list, applied", async ({ growth }) => {
  const patch: JsonPatchOperation[] = Array.from({ length: 500 }, (_, turn) => [
    { op: "remove" as const, path: `/rows/${(turn * 37) % 900}` },
    { op: "add" as const, path: `/rows/${(turn * 53) % 900}`, value: turn },
  ]).flat();
  await growth(
    "by the length of the list",
    (size) => {
      const before = board(size);
      return () => applyJsonPatch(before, patch);
    },
    [1000, 10_000],
    { atMost: 1 },
  );
});

const changes: Record<string, (before: Board) => Board> = {
  "one field of one row": (before) => ({
    ...before,
    rows: before.rows.map((each, index) => (index === 1000 ? { ...each, name: "changed" } : each)),
  }),
  "the first row gone": (before) => ({ ...before, rows: before.rows.slice(1) }),
  "a row in the middle": (before) => ({
    ...before,
    rows: [...before.rows.slice(0, 1000), row(-1), ...before.rows.slice(1000)],
  }),
  "every tenth row gone": (before) => ({ ...before, rows: before.rows.filter(({ id }) => id % 10 !== 0) }),
  "one field, nothing shared": (before) => {
    const after = structuredClone(before);
    after.rows[1000]!.name = "changed";
    return after;
  },
};

// rfc6902's createPatch is left out: its table of list distances is quadratic, minutes at this size.
for (const [title, change] of Object.entries(changes)) {
  await bench(`state: the patch for ${title} of 2,000`, async ({ race, ratio, note }) => {
    const before = board(2000);
    const after = change(before);
    const size = (patch: unknown) => JSON.stringify(patch).length;
    const measured = await race(
      {
        diffJson: () => diffJson(before, after),
        "fast-json-patch compare": () => jsonPatch.compare(before, after),
      },
      { rounds: 5 },
    );
    ratio("diffJson of compare", measured.diffJson, measured["fast-json-patch compare"]);
    note(
      `characters: diffJson ${size(diffJson(before, after))}, ` +
        `compare ${size(jsonPatch.compare(before, after))}, the state ${size(after)}`,
    );
  });
}

await bench("state: one field changed and published", async ({ race, growth }) => {
  const edit = (state: Board, turn: number): Board => {
    const rows = state.rows.slice();
    rows[1000] = { ...rows[1000]!, amount: turn + 0.5 };
    return { ...state, rows };
  };
  const edits = (size: number) => {
    const publisher = createStatePublisher<Board>();
    publisher.set(board(size));
    return repeat((turn) => publisher.update((state) => edit(state, turn)));
  };
  let draft = board(2000);
  const stringified = { state: board(2000) };
  await race(
    {
      "createStatePublisher, 2,000 rows": edits(2000),
      "createStatePublisher with immer's produce": (() => {
        const publisher = createStatePublisher<Board>();
        publisher.set(board(2000));
        return repeat((turn) =>
          publisher.update((state) =>
            produce(state, (next) => {
              next.rows[1000]!.amount = turn + 0.5;
            }),
          ),
        );
      })(),
      "compare, and JSON.stringify to see whether it is shorter": repeat((turn) => {
        const next = edit(draft, turn);
        const patch = jsonPatch.compare(draft, next);
        draft = next;
        return JSON.stringify(patch).length < JSON.stringify(next).length;
      }),
      "JSON.stringify of the state alone": repeat(() => JSON.stringify(stringified.state).length),
    },
    { count: times, unit: "publish", rounds: 5 },
  );
  await growth("by the number of rows, each publish copying the list", edits, [2000, 20_000]);
});
