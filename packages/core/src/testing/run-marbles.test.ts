import fc from "fast-check";
import { EventType, events as coreEvents } from "../index.js";
import { events, marbleValues, runMarbles, toRunMarbles } from "./index.js";

const soak = Boolean(process.env["AGRX_SOAK"]);

describe("runMarbles", () => {
  it("reads a run of a message and an answered call", () => {
    const run = runMarbles(
      `run+  text+m text:m"Hello" text-m  call+c/roll_dice call:c'{"sides":20}' call-c call=c"17"  run-`,
    );
    expect(run).toEqual([
      coreEvents.runStarted({ threadId: "t", runId: "r" }),
      coreEvents.textMessageStart({ messageId: "m" }),
      coreEvents.textMessageContent({ messageId: "m", delta: "Hello" }),
      coreEvents.textMessageEnd({ messageId: "m" }),
      coreEvents.toolCallStart({ toolCallId: "c", toolCallName: "roll_dice" }),
      coreEvents.toolCallArgs({ toolCallId: "c", delta: '{"sides":20}' }),
      coreEvents.toolCallEnd({ toolCallId: "c" }),
      coreEvents.toolCallResult({ toolCallId: "c", messageId: "result", content: "17" }),
      coreEvents.runFinished({ threadId: "t", runId: "r" }),
    ]);
  });

  it("has a word for every event type", () => {
    for (const type of Object.values(EventType)) {
      const [factory] = Object.entries(events).filter(([, make]) => make().type === type);
      expect(toRunMarbles([factory![1]()])).not.toMatch(/^event=/);
    }
  });

  it.each([
    ["run+r2/t2", { type: "RUN_STARTED", runId: "r2", threadId: "t2" }],
    ['run!/LIMIT"out of tokens"', { type: "RUN_ERROR", message: "out of tokens", code: "LIMIT" }],
    ["text+m/user@s1", { type: "TEXT_MESSAGE_START", messageId: "m", role: "user", subagentRunId: "s1" }],
    ['text+m&{"name":"Ann"}', { type: "TEXT_MESSAGE_START", messageId: "m", name: "Ann" }],
    ['text~"lo"', { type: "TEXT_MESSAGE_CHUNK", delta: "lo" }],
    ["call~c/f@s", { type: "TOOL_CALL_CHUNK", toolCallId: "c", toolCallName: "f", subagentRunId: "s" }],
    [
      "call=c/m7'it\\'s \"17\"'",
      { type: "TOOL_CALL_RESULT", toolCallId: "c", messageId: "m7", content: `it's "17"` },
    ],
    ["thought+q", { type: "REASONING_MESSAGE_START", messageId: "q", role: "reasoning" }],
    ["step-plan", { type: "STEP_FINISHED", stepName: "plan" }],
    ['state={"a":[1,"}"]}', { type: "STATE_SNAPSHOT", snapshot: { a: [1, "}"] } }],
    ["state=null", { type: "STATE_SNAPSHOT", snapshot: null }],
    ['custom=/board"x"', { type: "CUSTOM", name: "board", value: "x" }],
    ['agent!s1"no"', { type: "SUBAGENT_ERROR", subagentRunId: "s1", message: "no" }],
    ['event={"type":"NEW","a":1}', { type: "NEW", a: 1 }],
  ])("reads %s", (word, event) => {
    expect(runMarbles(word)).toEqual([event]);
  });

  it.each([
    ["a word that is none", "run+ tex+m", "at 5 (tex+m)"],
    ["a string that does not end", 'text:m"Hel', 'at 0 (text:m"Hel)'],
    ["a broken JSON text", "state={a}", "at 0 (state={a})"],
    ["a content where there is none", 'run+ text-m"x"', 'at 5 (text-m"x")'],
    ["what follows a complete word", 'text:m"a"b', 'at 0 (text:m"a"b)'],
  ])("points at %s", (_what, line, where) => {
    expect(() => runMarbles(line)).toThrow(SyntaxError);
    expect(() => runMarbles(line)).toThrow(where);
  });
});

describe("toRunMarbles", () => {
  it("writes what a reader would", () => {
    const line = `run+ text+m text:m"Hi" call+c/roll_dice call:c'{"sides":20}' call=c/m2"17" state={"a":1} run-`;
    expect(toRunMarbles(runMarbles(line))).toBe(line);
  });

  it("gives a line that reads as equal events again, whatever their fields hold", () => {
    const text = fc.oneof(fc.constantFrom("m", "a b", "", '"', "'", "\\", "{", "&", "é\n"), fc.string());
    const field = fc.constantFrom(
      ...["messageId", "toolCallId", "toolCallName", "role", "delta", "content", "name", "value", "snapshot"],
      ...["subagentRunId", "stepName", "threadId", "runId", "message", "code", "metadata", "extra"],
    );
    const value = fc.oneof(
      text,
      fc.jsonValue().filter((json) => !JSON.stringify(json).includes("__proto__")),
    );
    const makers = Object.values(events) as (() => object)[];
    const event = fc
      .tuple(
        fc.constantFrom(...makers, () => ({ type: "NEW" })),
        fc.dictionary(field, value, { noNullPrototype: true }),
      )
      .map(([make, fields]) => ({ ...make(), ...fields }) as never);
    fc.assert(
      fc.property(fc.array(event), (run) => {
        const json = JSON.parse(JSON.stringify(run)) as unknown;
        expect(runMarbles(toRunMarbles(run))).toEqual(json);
      }),
      { seed: 5, numRuns: soak ? 5_000 : 500 },
    );
  });
});

describe("marbleValues", () => {
  it("gives each letter its event", () => {
    expect(marbleValues({ a: "call+c", F: "run-" })).toEqual({
      a: events.toolCallStart(),
      F: events.runFinished(),
    });
  });

  it("refuses a letter without one event", () => {
    expect(() => marbleValues({ a: "" })).toThrow('"a" stands for 0 events');
    expect(() => marbleValues({ a: "run+ run-" })).toThrow('"a" stands for 2 events');
  });
});
