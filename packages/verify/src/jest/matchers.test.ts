import type { AGUIEvent } from "@agrx/core";
import { runMarbles } from "@agrx/core/testing";
import { concat, delay, from, of, concatMap, throwError, type Observable } from "rxjs";
import { verify } from "../index.js";
import { matchers, type RunMatchers } from "./index.js";

expect.extend(matchers);

const legal = runMarbles(`run+ text+m text:m"secret" text-m run-`);
const illegal = runMarbles(`run+ text+m call:c"secret" text-m run-`);
const cut = runMarbles(`run+ text+m`);

/** What a failing expectation prints. */
function failure(expectation: () => void): string {
  try {
    expectation();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("The expectation holds.");
}

describe("toBeLegalRun", () => {
  it("holds for a legal run only", () => {
    expect(legal).toBeLegalRun();
    expect(illegal).not.toBeLegalRun();
    expect(cut).not.toBeLegalRun();
    expect([]).not.toBeLegalRun();
  });

  it("judges as the profile it is given", () => {
    const unknownCall = runMarbles(`run+ call=nobody run-`);
    expect(unknownCall).toBeLegalRun();
    expect(unknownCall).not.toBeLegalRun({ profile: "producer" });
  });

  it("prints the run as a table that points at the event, and no payload", () => {
    const printed = failure(() => expect(illegal).toBeLegalRun());
    expect(printed).toContain(
      [
        `    0  RUN_STARTED         "r"`,
        `    1  TEXT_MESSAGE_START  "m"`,
        `  > 2  TOOL_CALL_ARGS      "c"  not-open`,
        `    3  TEXT_MESSAGE_END    "m"`,
        `    4  RUN_FINISHED        "r"`,
      ].join("\n"),
    );
    expect(printed).toMatch(/not-open: TOOL_CALL_ARGS \(event 2\) .*"c"/);
    expect(printed).not.toContain("secret");
  });

  it("points behind the last event where the end of the stream is at fault", () => {
    expect(failure(() => expect(cut).toBeLegalRun())).toMatch(
      /\n {2}> 2 {2}\(end of the stream\) +truncated$/,
    );
  });

  it("shows of a long run what stands around the fault", () => {
    const long = [
      ...cut,
      ...runMarbles("text:m ".repeat(500)),
      ...runMarbles("text-x"),
      ...runMarbles("text:m ".repeat(90)),
    ];
    const table = failure(() => expect(long).toBeLegalRun())
      .split("\n\n")
      .at(-1)!;
    expect(table.split("\n")).toHaveLength(14);
    expect(table).toContain("... 498 events");
    expect(table).toMatch(/> 502 {2}TEXT_MESSAGE_END +"x" {2}not-open/);
    expect(table).toMatch(/> 593 {2}\(end of the stream\) +truncated$/);
  });

  it("says what it takes, given something else", () => {
    expect(() => expect(3).toBeLegalRun()).toThrow(
      "array of events, or an Observable, promise or async iterable",
    );
  });

  describe("of an Observable", () => {
    it("waits for its end", async () => {
      const slow = from(illegal).pipe(concatMap((event) => of(event).pipe(delay(1))));
      await expect(from(legal)).toBeLegalRun();
      await expect(slow).not.toBeLegalRun();
    });

    it("takes the verifier's error for the violation it is", async () => {
      await expect(from(illegal).pipe(verify())).not.toBeLegalRun();
      await expect(from(illegal).pipe(verify())).toBreakRule("not-open", { index: 2, id: "c" });
    });

    it("fails with any other error of the source, whatever was expected", async () => {
      const broken = concat(
        from(cut),
        throwError(() => new Error("socket closed")),
      );
      await expect(async () => expect(broken).toBeLegalRun()).rejects.toThrow("socket closed");
      await expect(async () => expect(broken).not.toBeLegalRun()).rejects.toThrow("socket closed");
    });

    it("takes an async iterable too", async () => {
      async function* run() {
        yield* await Promise.resolve(legal);
      }
      await expect(run()).toBeLegalRun();
    });
  });
});

describe("toBreakRule", () => {
  it("holds where the rule is broken, at the index and for the id that are asked for", () => {
    expect(illegal).toBreakRule("not-open");
    expect(illegal).toBreakRule("not-open", { index: 2, id: "c" });
    expect(illegal).not.toBreakRule("not-open", { index: 1 });
    expect(illegal).not.toBreakRule("not-open", { id: "d" });
    expect(illegal).not.toBreakRule("truncated");
    expect(cut).toBreakRule("truncated", { index: 2 });
  });

  it("says what is broken instead", () => {
    const printed = failure(() => expect(illegal).toBreakRule("duplicate-start", { index: 1, id: "m" }));
    expect(printed).toMatch(
      /Expected the run to break duplicate-start at event 1 for id "m"\.\nIt breaks:\nnot-open: /,
    );
    expect(failure(() => expect(legal).toBreakRule("not-open"))).toContain("It breaks no rule.");
  });

  it("says where it is broken, if it should not be", () => {
    expect(failure(() => expect(illegal).not.toBreakRule("not-open"))).toMatch(/> 2 {2}TOOL_CALL_ARGS/);
  });

  it("counts warnings", () => {
    const input = { tools: [{ name: "tool", description: "", parameters: {} }] };
    const answered = runMarbles(`run+ call+c call-c call=c run-`);
    expect(answered).toBreakRule("frontend-tool-answered", { input, profile: "producer" });
    expect(answered).toBeLegalRun({ input, profile: "producer" });
  });
});

describe("types", () => {
  it("ask to await what is no array", () => {
    const ofArray = (m: RunMatchers<void, AGUIEvent[]>): void => m.toBeLegalRun();
    const ofObservable = (m: RunMatchers<void, Observable<AGUIEvent>>): Promise<void> => m.toBeLegalRun();
    expect([ofArray, ofObservable]).toHaveLength(2);
  });
});
