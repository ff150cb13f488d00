import { EMPTY, from, NEVER, of, repeat, Subject, take, tap, throwError } from "rxjs";
import { events } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { Warning } from "../protocol/warning.js";
import { freezeDeeply } from "./freeze-deeply.fixture.js";
import { scanState } from "./scan-state.js";

const snapshot = (value: unknown) => events.stateSnapshot({ snapshot: value as never });
const delta = (...patch: Parameters<typeof events.stateDelta>[0]["delta"]) =>
  events.stateDelta({ delta: patch });

function play(stream: readonly AGUIEvent[], initial?: unknown) {
  const warnings: Warning[] = [];
  const states: unknown[] = [];
  let error: unknown;
  from(stream.map(freezeDeeply))
    .pipe(scanState(freezeDeeply(initial), { onWarning: (warning) => warnings.push(warning) }))
    .subscribe({
      next: (state) => states.push(freezeDeeply(state)),
      error: (cause: unknown) => (error = cause),
    });
  return { states, warnings, error };
}

describe("scanState", () => {
  it.each([
    ["a snapshot replaces the state", [snapshot({ b: 2 })], { a: 1 }, [{ b: 2 }]],
    ["null is a state", [snapshot(null)], { a: 1 }, [null]],
    ["0 is a state", [snapshot(0)], undefined, [0]],
    ["an empty text is a state", [snapshot("")], undefined, [""]],
    [
      "a delta patches what the input brought",
      [delta({ op: "add", path: "/b", value: 2 })],
      { a: 1 },
      [{ a: 1, b: 2 }],
    ],
    [
      "a delta before any state patches {}",
      [delta({ op: "add", path: "/b", value: 2 })],
      undefined,
      [{ b: 2 }],
    ],
    ["a snapshot that tells the state again changes nothing", [snapshot({ a: 1 })], { a: 1 }, []],
    ["a state of null is no absent one", [delta({ op: "add", path: "", value: 1 })], null, [1]],
    [
      "state outlives its run",
      [
        snapshot({ a: 1 }),
        events.runFinished({ threadId: "t", runId: "r" }),
        events.runStarted({ threadId: "t", runId: "r2" }),
        delta({ op: "add", path: "/b", value: 2 }),
      ],
      undefined,
      [{ a: 1 }, { a: 1, b: 2 }],
    ],
  ] as const)("%s", (_sentence, stream, initial, states) => {
    expect(play(stream, initial)).toEqual({ states, warnings: [], error: undefined });
  });

  it("keeps the very same state when a patch does not apply as a whole, tells why, and takes the next one", () => {
    const { states, warnings } = play(
      [
        snapshot({ n: 1, list: [] }),
        delta({ op: "add", path: "/list/-", value: 1 }, { op: "test", path: "/n", value: 2 }),
        delta({ op: "remove", path: "/secret/path" }),
        delta({ op: "replace", path: "/n", value: 3 }),
      ],
      {},
    );
    expect(states).toEqual([
      { n: 1, list: [] },
      { n: 3, list: [] },
    ]);
    expect((states[1] as { list: unknown }).list).toBe((states[0] as { list: unknown }).list);
    expect(warnings).toMatchObject([
      { code: "patch-failed", index: 1 },
      { code: "patch-failed", index: 2 },
    ]);
  });

  it("errors at a patch that is none", () => {
    const { states, error } = play([
      delta({ op: "add", path: "/a", value: 1 }),
      delta({ op: "dance", path: "/a" } as never),
    ]);
    expect(states).toEqual([{ a: 1 }]);
    expect(error).toMatchObject({ name: "PatchError", code: "malformed-operation" });
  });

  it("keeps the references of what a snapshot tells again", () => {
    const board = { rows: [1, 2] };
    const { states } = play([snapshot({ board: { rows: [1, 2] }, user: "b" })], { board, user: "a" });
    expect((states[0] as { board: unknown }).board).toBe(board);
  });

  it("keeps the references off a patch's path", () => {
    const initial = { board: { rows: [1] }, user: { name: "a" } };
    const { states } = play([delta({ op: "replace", path: "/user/name", value: "b" })], initial);
    expect((states[0] as typeof initial).board).toBe(initial.board);
    expect(initial.user.name).toBe("a");
  });

  it("never, empty, error, two subscribers, an endless source, and a source that is re-entered", () => {
    const seen: unknown[] = [];
    NEVER.pipe(scanState())
      .subscribe((state) => seen.push(state))
      .unsubscribe();
    EMPTY.pipe(scanState()).subscribe({ complete: () => seen.push("complete") });
    throwError(() => "cut")
      .pipe(scanState())
      .subscribe({ error: (error: unknown) => seen.push(error) });
    const one = of(snapshot(1)).pipe(scanState());
    one.subscribe((state) => seen.push(state));
    one.subscribe((state) => seen.push(state));
    let sent = 0;
    of(snapshot(1), snapshot(2))
      .pipe(
        repeat(),
        tap(() => sent++),
        scanState(),
        take(3),
      )
      .subscribe();
    const source = new Subject<AGUIEvent>();
    source.pipe(scanState<number>()).subscribe((state) => {
      seen.push(state);
      if (state === 1) source.next(snapshot(2));
    });
    source.next(snapshot(1));
    expect(seen).toEqual(["complete", "cut", 1, 1, 1, 2]);
    expect(sent).toBe(3);
  });
});
