import fc from "fast-check";
import { z } from "zod";
import { applyJsonPatch, createStatePublisher, type AGUIEvent } from "@agrx/core";
import { oddJson, soak } from "./odd-json.fixture.js";

/** The client's side: JSON over the wire, snapshots adopted, patches applied. */
function createClient(state: unknown) {
  return {
    state,
    receive(event: AGUIEvent | undefined) {
      if (!event) return;
      const received = JSON.parse(JSON.stringify(event)) as AGUIEvent;
      if (received.type === "STATE_SNAPSHOT") this.state = received.snapshot;
      else if (received.type === "STATE_DELTA") this.state = applyJsonPatch(this.state, received.delta);
      else throw new Error(received.type);
    },
  };
}

const wide = (n: number) => ({ n, text: "long enough that a patch of n is shorter than all" });

describe("createStatePublisher", () => {
  it("publishes a snapshot first and patches after it", () => {
    const publisher = createStatePublisher(wide(0));
    expect(publisher.set(wide(1))).toEqual({ type: "STATE_SNAPSHOT", snapshot: wide(1) });
    expect(publisher.update((state) => ({ ...state, n: state.n + 1 }))).toEqual({
      type: "STATE_DELTA",
      delta: [{ op: "replace", path: "/n", value: 2 }],
    });
    expect(publisher.state).toEqual(wide(2));
  });

  it("publishes nothing when nothing changed, first or later", () => {
    const publisher = createStatePublisher(wide(0));
    expect(publisher.set(wide(0))).toBeUndefined();
    expect(publisher.set(wide(1))?.type).toBe("STATE_SNAPSHOT");
    expect(publisher.set(wide(1))).toBeUndefined();
    expect(publisher.update((state) => state)).toBeUndefined();
  });

  it("starts from the empty object that an absent state is", () => {
    const publisher = createStatePublisher<Record<string, number>>();
    expect(publisher.state).toEqual({});
    expect(publisher.set({})).toBeUndefined();
    expect(publisher.set({ a: 1 })).toEqual({ type: "STATE_SNAPSHOT", snapshot: { a: 1 } });
  });

  it.each([null, 0, "", false, []])("publishes %j as a state like any other", (state) => {
    expect(createStatePublisher<unknown>().set(state)).toEqual({ type: "STATE_SNAPSHOT", snapshot: state });
  });

  it("sends a patch of one character less than the state, and no patch as long as it", () => {
    const patch = '[{"op":"replace","path":"/n","value":2}]';
    const padded = (n: number, length: number) => ({
      n,
      text: "x".repeat(length - '{"n":1,"text":""}'.length),
    });
    const typeAt = (length: number) => {
      const publisher = createStatePublisher<object>();
      publisher.set(padded(1, length));
      return publisher.set(padded(2, length))?.type;
    };
    expect(typeAt(patch.length)).toBe("STATE_SNAPSHOT");
    expect(typeAt(patch.length + 1)).toBe("STATE_DELTA");
  });

  it("keeps the state it was given, so that the next one can share structure with it", () => {
    const publisher = createStatePublisher<object>();
    const state = wide(1);
    publisher.set(state);
    expect(publisher.state).toBe(state);
  });

  it("says so when a recipe returns nothing, and keeps the state", () => {
    const publisher = createStatePublisher<unknown>({ a: 1 });
    expect(() => publisher.update(() => undefined)).toThrow(
      expect.objectContaining({ name: "StateError", code: "missing-state" }),
    );
    expect(publisher.state).toEqual({ a: 1 });
  });

  it("keeps the state when the recipe throws", () => {
    const publisher = createStatePublisher({ a: 1 });
    const update = () =>
      publisher.update(() => {
        throw new Error("recipe");
      });
    expect(update).toThrow("recipe");
    expect(publisher.state).toEqual({ a: 1 });
  });

  it("is typed and checked by a schema", () => {
    const schema = z.object({ count: z.number() });
    const publisher = createStatePublisher({ count: 0 }, { schema });
    const count: number = publisher.state.count;
    expect(count).toBe(0);
    // @ts-expect-error the schema says that count is a number
    const wrong = () => publisher.set({ count: "secret" });
    expect(wrong).toThrow(expect.objectContaining({ code: "invalid-state" }));
    expect(wrong).toThrow(/count: /);
    expect(wrong).not.toThrow(/secret/);
    expect(publisher.state).toEqual({ count: 0 });
    expect(publisher.set({ count: 1 })?.type).toBe("STATE_SNAPSHOT");
  });

  it("brings the client's copy to the server's state, always", () => {
    // Half of the states hold something that stays, so that patches are shorter.
    const oddState = fc.oneof(
      oddJson,
      oddJson.map((odd) => ({ odd, long: "x".repeat(200) })),
    );
    let deltas = 0;
    fc.assert(
      fc.property(fc.array(oddState, { minLength: 1, maxLength: 6 }), (states) => {
        const publisher = createStatePublisher<unknown>(states[0]);
        const client = createClient(states[0]);
        for (const state of states) {
          const event = publisher.set(state);
          if (event?.type === "STATE_DELTA") deltas++;
          client.receive(event);
          expect(client.state).toEqual(publisher.state);
          expect(JSON.stringify(sorted(client.state))).toBe(JSON.stringify(sorted(publisher.state)));
        }
      }),
      { seed: 1, numRuns: soak ? 20_000 : 300 },
    );
    expect(deltas).toBeGreaterThan(0);
  });

  it("brings the client's copy to the server's state when a large one changes bit by bit", () => {
    const change = fc.record({
      kind: fc.constantFrom("edit", "add", "remove", "move", "nest", "same"),
      at: fc.nat(200),
      value: oddJson,
    });
    let deltas = 0;
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const publisher = createStatePublisher<{ rows: unknown[]; nested: Record<string, unknown> }>();
        const client = createClient({});
        client.receive(
          publisher.set({
            rows: Array.from({ length: 40 }, (_, id) =>
              id % 3 === 0 ? { id, name: `row ${id}` } : { name: "row" },
            ),
            nested: {},
          }),
        );
        for (const { kind, at, value } of changes) {
          const { rows } = publisher.state;
          const i = rows.length === 0 ? 0 : at % rows.length;
          const event = publisher.update((state) => {
            switch (kind) {
              case "edit":
                return {
                  ...state,
                  rows: rows.map((row, j) => (j === i ? { ...(row as object), value } : row)),
                };
              case "add":
                return { ...state, rows: [...rows.slice(0, i), value, ...rows.slice(i)] };
              case "remove":
                return { ...state, rows: rows.filter((_, j) => j !== i) };
              case "move":
                return { ...state, rows: [...rows.filter((_, j) => j !== i), rows[i] ?? null] };
              case "nest":
                return { ...state, nested: { deeper: { value, before: state.nested["deeper"] ?? null } } };
              default:
                return structuredClone(state);
            }
          });
          if (event?.type === "STATE_DELTA") {
            deltas++;
            expect(JSON.stringify(event.delta).length).toBeLessThan(JSON.stringify(publisher.state).length);
          }
          client.receive(event);
          expect(client.state).toEqual(publisher.state);
        }
      }),
      { seed: 2, numRuns: soak ? 5_000 : 150 },
    );
    expect(deltas).toBeGreaterThan(500);
  });
});

/** With keys in order, and own `__proto__` members shown, which toEqual does not look at. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}
