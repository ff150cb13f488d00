import {
  events,
  EventType,
  isTerminal,
  scanMessages,
  type AGUIEvent,
  type Message,
  type RunAgentInput,
} from "@agrx/core";
import fc from "fast-check";
import { from, last, of } from "rxjs";
import type { VerifyOptions } from "./options.js";
import { repair } from "./repair.js";
import type { Repair } from "./repair-report.js";
import { legalStream, runs } from "./streams.fixture.js";
import { verify } from "./verify.js";

const start = events.runStarted({ threadId: "t", runId: "r" });
const finish = events.runFinished({ threadId: "t", runId: "r" });
const textStart = events.textMessageStart({ messageId: "m", role: "assistant" });
const content = events.textMessageContent({ messageId: "m", delta: "Hi" });
const textEnd = events.textMessageEnd({ messageId: "m" });
const callStart = events.toolCallStart({ toolCallId: "c", toolCallName: "f" });
const args = (delta: string) => events.toolCallArgs({ toolCallId: "c", delta });
const callEnd = events.toolCallEnd({ toolCallId: "c" });
const result = events.toolCallResult({ toolCallId: "c", messageId: "x", content: "ok" });
const step = events.stepStarted({ stepName: "s" });

function mend(stream: readonly AGUIEvent[], options: VerifyOptions = {}) {
  const mended: AGUIEvent[] = [];
  const repairs: Repair[] = [];
  from(stream)
    .pipe(repair({ ...options, onRepair: (change) => repairs.push(change) }))
    .subscribe((event) => mended.push(event));
  return { mended, changes: repairs.map(({ rule, change }) => `${rule} ${change}`), repairs };
}

function refusalOf(stream: readonly AGUIEvent[]): string | undefined {
  let rule: string | undefined;
  from(stream)
    .pipe(verify())
    .subscribe({ error: (error: { rule: string }) => (rule = error.rule) });
  return rule;
}

describe("repair", () => {
  it.each<[string, AGUIEvent[], AGUIEvent[], string[]]>([
    [
      "opens a message that nobody opened",
      [start, content, textEnd, finish],
      [start, textStart, content, textEnd, finish],
      ["not-open inserted"],
    ],
    [
      "drops an end that came twice",
      [start, textStart, content, textEnd, textEnd, finish],
      [start, textStart, content, textEnd, finish],
      ["not-open dropped"],
    ],
    [
      "drops an opening that says the same again",
      [start, textStart, textStart, content, textEnd, finish],
      [start, textStart, content, textEnd, finish],
      ["duplicate-start dropped"],
    ],
    [
      "ends what is open before the run finishes, innermost first",
      [start, step, textStart, content, finish],
      [start, step, textStart, content, textEnd, events.stepFinished({ stepName: "s" }), finish],
      ["open-at-finish inserted", "open-at-finish inserted"],
    ],
    [
      "ends a call whose text is whole",
      [start, callStart, args('{"a":'), args("1}"), finish],
      [start, callStart, args('{"a":'), args("1}"), callEnd, finish],
      ["open-at-finish inserted"],
    ],
    [
      "has a result wait for the end of its call",
      [start, callStart, args("{}"), result, callEnd, finish],
      [start, callStart, args("{}"), callEnd, result, finish],
      ["out-of-order moved"],
    ],
    [
      "has a result wait also for an end that it inserts",
      [start, callStart, args("{}"), result, finish],
      [start, callStart, args("{}"), callEnd, result, finish],
      ["out-of-order moved", "open-at-finish inserted"],
    ],
    [
      "reopens a call whose arguments go on after its end",
      [start, callStart, args('{"a":'), callEnd, args("1}"), callEnd, finish],
      [start, callStart, args('{"a":'), callEnd, callStart, args("1}"), callEnd, finish],
      ["not-open inserted"],
    ],
    [
      "drops a start of the run that came twice",
      [start, start, finish],
      [start, finish],
      ["duplicate-run-started dropped"],
    ],
    ["drops a finish that came twice", [start, finish, finish], [start, finish], ["run-ended dropped"]],
  ])("%s", (_title, stream, expected, changes) => {
    const told = mend(stream);
    expect(told.mended).toEqual(expected);
    expect(told.changes).toEqual(changes);
    expect(refusalOf(told.mended)).toBeUndefined();
  });

  it.each<[string, AGUIEvent[], string]>([
    ["a call whose text is not whole JSON", [start, callStart, args('{"a":'), finish], "open-at-finish"],
    ["a call without any text", [start, callStart, finish], "open-at-finish"],
    ["arguments of a call without a name", [start, args("{}"), finish], "not-open"],
    ["a stream that just ends", [start, textStart, content, textEnd], "truncated"],
    ["another run's finish", [start, events.runFinished({ threadId: "t", runId: "x" })], "run-mismatch"],
  ])("passes %s on as it is, and tells that it did", (_title, stream, rule) => {
    const told = mend(stream);
    expect(told.mended).toEqual(stream);
    expect(told.changes).toEqual([`${rule} none`]);
  });

  it("begins a stream with the run that its input asked for", () => {
    const input: Partial<RunAgentInput> = { threadId: "t", runId: "r" };
    const told = mend([textStart, textEnd, finish], { input });
    expect(told.mended).toEqual([start, textStart, textEnd, finish]);
    expect(told.changes).toEqual(["not-started inserted"]);
  });

  it("passes a legal stream on, the same objects, and tells nothing", () => {
    fc.assert(
      fc.property(legalStream({ chunks: true }), (stream) => {
        const told = mend(stream);
        expect(told.mended.every((event, at) => event === stream[at])).toBe(true);
        expect(told.repairs.filter(({ change }) => change !== "none")).toEqual([]);
      }),
      runs(200, 5000),
    );
  });

  it("makes a stream legal again, with all it said, whichever start or end was lost or doubled", () => {
    fc.assert(
      fc.property(
        legalStream(),
        fc.nat(),
        fc.constantFrom("drop end", "drop start", "double"),
        (stream, at, fault) => {
          fc.pre(stream.length > 2 && isTerminal(stream.at(-1)!));
          // Of a message that opens late, views miss what was said of it before.
          fc.pre(!stream.some(({ type }) => type === EventType.REASONING_ENCRYPTED_VALUE));
          const broken = breakAt(stream, at, fault);
          fc.pre(broken !== undefined && refusalOf(broken) !== undefined);
          const told = mend(broken);
          fc.pre(!told.changes.some((change) => change.endsWith("none")));
          expect(refusalOf(told.mended)).toBeUndefined();
          expect(messagesOf(told.mended)).toEqual(messagesOf(stream));
        },
      ),
      runs(300, 5000),
    );
  });

  it("errors and completes with its source, and leaves it when it is left", () => {
    let error: unknown;
    from([start])
      .pipe(
        repair({
          onRepair: () => {
            throw new Error("full");
          },
        }),
      )
      .subscribe({ error: (cause: unknown) => (error = cause) });
    expect(error).toEqual(new Error("full"));
    const seen: AGUIEvent[] = [];
    of(start, finish)
      .pipe(repair())
      .subscribe((event) => seen.push(event));
    expect(seen).toEqual([start, finish]);
  });
});

/** A stream with one text message's start or end gone, or one start or end doubled. */
function breakAt(stream: readonly AGUIEvent[], at: number, fault: string): AGUIEvent[] | undefined {
  const wanted =
    fault === "drop start"
      ? /^TEXT_MESSAGE_START$/
      : fault === "drop end"
        ? /^TEXT_MESSAGE_END$/
        : /^(TEXT_MESSAGE|TOOL_CALL)_(START|END)$/;
  const candidates = stream.flatMap((event, index) => (wanted.test(event.type) ? [index] : []));
  const index = candidates[at % candidates.length];
  if (index === undefined) return undefined;
  const broken = [...stream];
  if (fault === "double") broken.splice(index, 0, stream[index]!);
  else broken.splice(index, 1);
  return broken;
}

function messagesOf(stream: readonly AGUIEvent[]): readonly Message[] {
  let messages: readonly Message[] = [];
  from(stream)
    .pipe(scanMessages(), last(null, []))
    .subscribe((all) => (messages = all));
  // Where a lost opening stood, which role it gave and to whom, nobody can say: it opens late, for the assistant.
  return messages
    .map(({ subagentRunId: _owner, ...message }) => {
      return { ...message, role: "assistant", content: message.content ?? "" } as Message;
    })
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}
