import { callOf, givenId, givenName, type CallEvidence, type CandidateCall } from "./identity.js";

interface Call extends CandidateCall {
  readonly tag: string;
}

const call = (tag: string, fields: Partial<CandidateCall> = {}): Call => ({
  tag,
  id: undefined,
  name: undefined,
  slot: undefined,
  whole: false,
  ended: false,
  again: undefined,
  repeats: (text) => text === "" || text === "{}",
  ...fields,
});

/** Which of the calls some evidence points at; the last one is the latest. */
function verdict(evidence: Partial<CallEvidence>, ...calls: readonly Call[]): string {
  const found = callOf(
    { id: undefined, name: undefined, slot: undefined, text: "", ...evidence },
    {
      byId: (id) => calls.find((each) => each.id === id),
      bySlot: (slot) => [...calls].reverse().find((each) => each.slot === slot),
      latest: calls.at(-1),
    },
  );
  return found?.tag ?? "new";
}

const a = { id: "a", name: "f", slot: 0 };
const whole = { whole: true };

describe("callOf", () => {
  it.each<[string, Partial<CallEvidence>, readonly Call[], string]>([
    ["the first fragment opens a call", { slot: 0, id: "a", name: "f" }, [], "new"],

    ["a known id is its call", { id: "a" }, [call("A", a)], "A"],
    [
      "a known id is its call, also in no slot",
      { id: "a", text: "x" },
      [call("A", a), call("B", { id: "b", slot: 1 })],
      "A",
    ],
    [
      "a known id at another slot, with another name, was given twice",
      { id: "a", slot: 1, name: "g" },
      [call("A", a)],
      "new",
    ],
    [
      "a known id at another slot goes on with an unfinished text",
      { id: "a", slot: 1, name: "f", text: "1}" },
      [call("A", a)],
      "A",
    ],
    [
      "a known id and name, after a whole text, with another text, is the next call",
      { id: "a", slot: 0, name: "f", text: '{"n":2}' },
      [call("A", { ...a, ...whole })],
      "new",
    ],
    [
      "a known id and name that repeat the whole text add nothing",
      { id: "a", slot: 0, name: "f", text: "{}" },
      [call("A", { ...a, ...whole })],
      "A",
    ],

    [
      "a new id with a name opens a call in a taken slot",
      { id: "b", name: "f", slot: 0 },
      [call("A", a)],
      "new",
    ],
    ["a new id is the late id of the call in its slot", { id: "b", slot: 0 }, [call("A", { slot: 0 })], "A"],
    [
      "a new id with the same name is the late id too",
      { id: "b", name: "f", slot: 0 },
      [call("A", { slot: 0, name: "f" })],
      "A",
    ],
    [
      "a new id with another name is another call",
      { id: "b", name: "g", slot: 0 },
      [call("A", { slot: 0, name: "f" })],
      "new",
    ],
    [
      "a new id with text, after a whole text without an id, is another call",
      { id: "b", name: "f", slot: 0, text: '{"n":2}' },
      [call("A", { slot: 0, name: "f", ...whole })],
      "new",
    ],
    [
      "a new id without a name is one that changes, while the text is unfinished",
      { id: "b", slot: 0, text: "1}" },
      [call("A", a)],
      "A",
    ],
    [
      "a new id without a name is a new call, after a whole text",
      { id: "b", slot: 0 },
      [call("A", { ...a, ...whole })],
      "new",
    ],
    [
      "a new id without a slot is a new call",
      { id: "b", text: "{" },
      [call("A", { id: "a", name: "f" })],
      "new",
    ],

    ["a slot is its call", { slot: 0, text: "x" }, [call("A", a), call("B", { id: "b", slot: 1 })], "A"],
    ["a new slot is a new call", { slot: 1, text: "x" }, [call("A", a)], "new"],
    [
      "a slot that comes late is that of the latest call without one",
      { slot: 0, text: "x" },
      [call("A", { id: "a" })],
      "A",
    ],
    [
      "a name again is the same call, while the text is unfinished",
      { slot: 0, name: "f", text: "1}" },
      [call("A", a)],
      "A",
    ],
    [
      "a name again, after a whole text, with text, is the next call",
      { slot: 0, name: "f", text: "{}" },
      [call("A", { ...a, ...whole })],
      "new",
    ],
    [
      "a name again, after a whole text, without text, says nothing yet",
      { slot: 0, name: "f" },
      [call("A", { ...a, ...whole })],
      "A",
    ],
    [
      "text after such a name is the next call's",
      { slot: 0, text: '{"n":2}' },
      [call("A", { ...a, ...whole, again: { id: undefined, name: "f" } })],
      "new",
    ],
    [
      "a late name is the call's own, though its text is whole",
      { slot: 0, name: "f" },
      [call("A", { slot: 0, ...whole })],
      "A",
    ],
    [
      "another name, after a whole text, is the next call",
      { slot: 0, name: "g" },
      [call("A", { ...a, ...whole })],
      "new",
    ],

    [
      "nothing at all is the latest call",
      { text: "x" },
      [call("A", { id: "a", name: "f" }), call("B", { id: "b", name: "g" })],
      "B",
    ],
    ["a name that differs is a new call", { name: "g" }, [call("A", { name: "f" })], "new"],
    ["a name that comes late is the latest call's", { name: "g" }, [call("A", { text: "{" } as object)], "A"],

    [
      "a slot whose call has ended is a new call, with a name and text",
      { slot: 0, name: "f", text: "{1}" },
      [call("A", { ...a, ended: true })],
      "new",
    ],
    [
      "text for a call that has ended is that call's, to be told of",
      { slot: 0, text: "x" },
      [call("A", { ...a, ended: true })],
      "A",
    ],
  ])("%s", (_, evidence, calls, tag) => expect(verdict(evidence, ...calls)).toBe(tag));
});

describe("givenId", () => {
  it.each([
    ["c", "c"],
    [17, "17"],
    [0, "0"],
    ["", undefined],
    ["null", undefined],
    [null, undefined],
    [undefined, undefined],
    [{}, undefined],
  ])("reads %j as %j", (given, id) => expect(givenId(given)).toBe(id));
});

describe("givenName", () => {
  it.each([
    ["f", "f"],
    ["", undefined],
    [null, undefined],
    [1, undefined],
  ])("reads %j as %j", (given, name) => expect(givenName(given)).toBe(name));
});
