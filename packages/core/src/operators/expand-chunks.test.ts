import { EMPTY, NEVER, Subject, from, map, take, type Observable } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { expandChunks, isOrderingError, type AGUIEvent, type OrderingError, type Warning } from "../index.js";
import { events, runMarbles, toRunMarbles } from "../testing/index.js";

const marbles = (score: Parameters<TestScheduler["run"]>[0]) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(score);

function collect(source: Observable<AGUIEvent>) {
  const values: AGUIEvent[] = [];
  let error: unknown;
  source.subscribe({ next: (event) => values.push(event), error: (cause: unknown) => (error = cause) });
  return { values, error };
}

const expand = (line: string) => collect(from(runMarbles(line)).pipe(expandChunks()));

describe("expandChunks", () => {
  describe("what it makes of chunks", () => {
    it.each([
      [
        "opens with START, continues, and ends before the run does",
        `run+ text~m"Hel" text~"lo" run-`,
        `run+ text+m/assistant text:m"Hel" text:m"lo" text-m run-`,
      ],
      [
        "gives a call its name and parent",
        `call~c/f"{"&{"parentMessageId":"m"} call~"}" run-`,
        `call+c/f&{"parentMessageId":"m"} call:c"{" call:c"}" call-c run-`,
      ],
      ["gives reasoning its role", `thought~q"hm" run-`, `thought+q thought:q"hm" thought-q run-`],
      [
        "keeps role and name of a text message",
        `text~m/user"Hi"&{"name":"Ann"} run-`,
        `text+m/user&{"name":"Ann"} text:m"Hi" text-m run-`,
      ],
      [
        "gives START alone for an opener without content",
        `text~m text~"a" run-`,
        `text+m/assistant text:m"a" text-m run-`,
      ],
      ["keeps an empty delta", `text~m"" run-`, `text+m/assistant text:m text-m run-`],
      [
        "gives nothing for an empty continuation",
        `text~m"a" text~ text~m run-`,
        `text+m/assistant text:m"a" text-m run-`,
      ],
      [
        "takes the empty string for an id",
        `text~&{"messageId":"","delta":"a"} text~"b" run-`,
        `text+&{"messageId":"","role":"assistant"} text:&{"messageId":"","delta":"a"} text:&{"messageId":"","delta":"b"} text-&{"messageId":""} run-`,
      ],
      [
        "ends a message where another begins",
        `text~m"a" text~n"b" run-`,
        `text+m/assistant text:m"a" text-m text+n/assistant text:n"b" text-n run-`,
      ],
      [
        "ends a message where a call begins",
        `text~m"a" call~c/f"{}" run-`,
        `text+m/assistant text:m"a" text-m call+c/f call:c"{}" call-c run-`,
      ],
      [
        "lets calls of one lane take turns, each with its name again",
        `call~c/f"1" call~d/g"2" call~c/f"3" run-`,
        `call+c/f call:c"1" call-c call+d/g call:d"2" call-d call+c/f call:c"3" call-c run-`,
      ],
      [
        "reopens a message by its id after CUSTOM",
        `text~m"a" custom= text~m"b" run-`,
        `text+m/assistant text:m"a" text-m custom= text+m/assistant text:m"b" text-m run-`,
      ],
      [
        "accepts repeats of what the opener said",
        `text~m"a" text~m/assistant"b" call~c/f call~c/f"x" run-`,
        `text+m/assistant text:m"a" text:m"b" text-m call+c/f call:c"x" call-c run-`,
      ],
    ])("%s", (_title, source, expected) => {
      const { values, error } = expand(source);
      expect(error).toBeUndefined();
      expect(toRunMarbles(values)).toBe(toRunMarbles(runMarbles(expected)));
    });

    it("makes up no END where the stream stops without a terminal event", () => {
      expect(toRunMarbles(expand(`text~m"a"`).values)).toBe(`text+m/assistant text:m"a"`);
    });

    it("passes other events on as the same objects", () => {
      const run = runMarbles(`run+ text+m text:m"a" raw= state={} text-m event={"type":"NEW"} run-`);
      const { values } = collect(from(run).pipe(expandChunks()));
      expect(values).toHaveLength(run.length);
      values.forEach((event, index) => expect(event).toBe(run[index]));
    });
  });

  describe("what ends a stream of chunks", () => {
    const own = `text+n text:n text-n call+c call:c call-c call=c span+q thought+q thought:q thought-q span-q step+a step-a state={"a":1} state: custom=`;
    it.each(own.split(" "))("%s ends its own lane's", (word) => {
      expect(toRunMarbles(expand(`text~m"a" ${word}`).values)).toBe(
        `text+m/assistant text:m"a" text-m ${word}`,
      );
    });

    it.each(own.split(" "))("%s leaves another lane's open", (word) => {
      expect(toRunMarbles(expand(`text~m@s"a" ${word}`).values)).toBe(
        `text+m/assistant@s text:m@s"a" ${word}`,
      );
    });

    it.each("run+ run- run! messages=".split(" "))("%s ends every lane's, in order of opening", (word) => {
      const { values } = expand(`call~c/f@s"a" text~m"b" ${word}`);
      expect(toRunMarbles(values)).toBe(
        `call+c/f@s call:c@s"a" text+m/assistant text:m"b" call-c@s text-m ${word}`,
      );
    });

    it.each([
      `raw=`,
      `activity+a`,
      `activity:a`,
      `encrypted=m`,
      `agent+s1`,
      `event={"type":"NEW"}`,
      `event={"type":"constructor"}`,
    ])("%s ends none", (word) => {
      const { values } = expand(`text~m"a" ${word} text~"b"`);
      expect(toRunMarbles(values)).toBe(`text+m/assistant text:m"a" ${word} text:m"b"`);
    });

    it("the end of a subagent ends its own", () => {
      expect(toRunMarbles(expand(`text~m@s"a" text~n"b" agent-s`).values)).toBe(
        `text+m/assistant@s text:m@s"a" text+n/assistant text:n"b" text-m@s agent-s`,
      );
      expect(toRunMarbles(expand(`text~m@s"a" agent!s`).values)).toBe(
        `text+m/assistant@s text:m@s"a" text-m@s agent!s`,
      );
    });

    it("the end of a subagent without its id ends nothing", () => {
      const nameless = { type: "SUBAGENT_FINISHED" } as AGUIEvent;
      const { values } = collect(from([...runMarbles(`text~m"a"`), nameless]).pipe(expandChunks()));
      expect(values.at(-1)).toBe(nameless);
      expect(values).toHaveLength(3);
    });
  });

  describe("lanes", () => {
    it.each([
      [
        "an id finds its lane without a tag",
        `text~m@s"a" text~m"b"`,
        `text+m/assistant@s text:m@s"a" text:m@s"b"`,
      ],
      [
        "a tag finds its lane without an id",
        `text~m@s"a" text~n@z"b" text~@s"c"`,
        `text+m/assistant@s text:m@s"a" text+n/assistant@z text:n@z"b" text:m@s"c"`,
      ],
      [
        "without either the parent's lane is meant",
        `text~m@s"a" text~n"b" text~"c"`,
        `text+m/assistant@s text:m@s"a" text+n/assistant text:n"b" text:n"c"`,
      ],
      [
        "or the only lane of that kind",
        `call~c/f"a" text~m@s"b" text~"c" call~"d"`,
        `call+c/f call:c"a" text+m/assistant@s text:m@s"b" text:m@s"c" call:c"d"`,
      ],
      [
        "one id may be streamed as two kinds",
        `text~x@s"a" call~x/f"b" text~x"c" call~x"d"`,
        `text+x/assistant@s text:x@s"a" call+x/f call:x"b" text:x@s"c" call:x"d"`,
      ],
    ])("%s", (_title, source, expected) => {
      const { values, error } = expand(source);
      expect(error).toBeUndefined();
      expect(toRunMarbles(values)).toBe(expected);
    });
  });

  describe("what else a chunk carries", () => {
    const metadata = { a: 1 };
    const rawEvent = { provider: "p" };

    it("puts metadata on each event made of the chunk and not on the END before", () => {
      const { values } = expand(`text~m"a" text~n"b"&{"metadata":{"a":1}} run-`);
      expect(values.map((event) => event.metadata)).toEqual([
        ...[undefined, undefined, undefined],
        ...[metadata, metadata, undefined, undefined],
      ]);
    });

    it("puts rawEvent on the content, which it calls for", () => {
      const { values } = collect(
        from([events.textMessageChunk({ messageId: "m", rawEvent })]).pipe(expandChunks()),
      );
      expect(values).toEqual([
        events.textMessageStart({ role: "assistant" }),
        events.textMessageContent({ delta: "", rawEvent }),
      ]);
    });

    it("gives metadata alone on a continuation an empty content, and none on an opener", () => {
      const { values } = collect(
        from([
          events.toolCallChunk({ toolCallId: "c", toolCallName: "f", metadata }),
          events.toolCallChunk({ metadata }),
        ]).pipe(expandChunks()),
      );
      expect(values).toEqual([
        events.toolCallStart({ toolCallName: "f", metadata }),
        events.toolCallArgs({ metadata }),
      ]);
    });

    it("does not repair a malformed delta, role or owner", () => {
      const malformed = { messageId: "m", delta: null, role: null, subagentRunId: null } as never;
      const { values } = collect(from([events.textMessageChunk(malformed)]).pipe(expandChunks()));
      expect(values).toEqual([
        { type: "TEXT_MESSAGE_START", messageId: "m", role: null, subagentRunId: null },
        { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: null, subagentRunId: null },
      ]);
    });

    it("drops a property that no chunk has, with a warning", () => {
      const warnings: Warning[] = [];
      const chunk = { ...events.textMessageChunk({ messageId: "m" }), timestamp: 1, later: true };
      const source = from([events.runStarted(), chunk as AGUIEvent]);
      const { values } = collect(
        source.pipe(expandChunks({ onWarning: (warning) => warnings.push(warning) })),
      );
      expect(values.at(-1)).toEqual(events.textMessageStart({ role: "assistant" }));
      expect(warnings).toMatchObject([{ code: "unknown-property", index: 1, path: "later" }]);
    });

    it("errors with what a throwing onWarning throws", () => {
      const cause = new Error("mine");
      const onWarning = () => {
        throw cause;
      };
      const chunk = { ...events.textMessageChunk({ messageId: "m" }), later: true };
      expect(collect(from([chunk]).pipe(expandChunks({ onWarning }))).error).toBe(cause);
    });
  });

  describe("what it refuses", () => {
    it.each([
      ["chunk-without-id", 1, undefined, `run+ text~"a"`],
      ["chunk-without-id", 1, undefined, `run+ call~/f"a"`],
      ["chunk-without-id", 1, undefined, `run+ thought~"a"`],
      ["chunk-without-id", 0, "c", `call~c"a"`],
      ["chunk-without-id", 2, undefined, `text~m"a" custom= text~"b"`],
      ["chunk-without-id", 2, undefined, `text~m"a" state={} text~"b"`],
      ["chunk-without-id", 1, undefined, `text~m"a" call~"b"`],
      ["chunk-without-id", 1, undefined, `text~m"a" text~@s"b"`],
      ["chunk-without-id", 2, "c", `call~c/f"1" call~d/g"2" call~c"3"`],
      ["chunk-conflict", 1, "m", `text~m"a" text~m/user"b"`],
      ["chunk-conflict", 1, "m", `text~m/user text~/assistant`],
      ["chunk-conflict", 1, "m", `text~m"a" text~"b"&{"name":"Ann"}`],
      ["chunk-conflict", 1, "c", `call~c/f call~c/g"b"`],
      ["chunk-conflict", 1, "c", `call~c/f call~"b"&{"parentMessageId":"m"}`],
      ["chunk-ambiguous", 2, undefined, `text~m@s"a" text~n@z"b" text~"c"`],
      ["chunk-ambiguous", 3, undefined, `text~m@s"a" text~n@z"b" call~c/f text~"c"`],
      ["owner-mismatch", 1, "m", `text~m@s"a" text~m@z"b"`],
      ["owner-mismatch", 1, "m", `text~m"a" text~m@z`],
    ])("%s at event %i: %s, %s", (rule, index, id, line) => {
      const run = runMarbles(line);
      const { values, error } = collect(from(run).pipe(expandChunks()));
      expect(isOrderingError(error)).toBe(true);
      expect(error).toMatchObject({ rule, index, id, event: run[index] });
      // Nothing is made of the event at fault, not even the END of what it would replace.
      expect(values).toEqual(collect(from(run.slice(0, index)).pipe(expandChunks())).values);
    });

    it("says what came, what was expected and how to mend it, and what was open", () => {
      const { message, open } = expand(`text~m@s"secret" text~n@z"b" text~"c"`).error as OrderingError;
      expect(message).toBe(
        'TEXT_MESSAGE_CHUNK (event 2) has neither messageId nor subagentRunId, and 2 lanes stream a text message ("m", "n"). Send messageId or subagentRunId.',
      );
      expect(open).toEqual([
        { kind: "text", id: "m" },
        { kind: "text", id: "n" },
      ]);
    });

    it("shows no payload and no more than the head of an id", () => {
      const id = "x".repeat(1_000_000);
      const { message } = expand(`call~${id}/f"secret" call~${id}/g"secret"`).error as OrderingError;
      expect(message).not.toContain("secret");
      expect(message.length).toBeLessThan(400);
    });
  });

  describe("as an operator", () => {
    const text = { m: events.textMessageChunk({ messageId: "m", delta: "a" }), f: events.runFinished() };
    const made = { s: "START", t: "CONTENT", e: "END", f: "RUN_FINISHED" };
    const short = map((event: AGUIEvent) => event.type.replace("TEXT_MESSAGE_", ""));

    it("emits at once and completes with the source", () => {
      marbles(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot("  --m-----m--f------|", text);
        const subs = "        ^-----------------!";
        const expected = "    --(st)--t--(ef)---|";
        expectObservable(source.pipe(expandChunks(), short)).toBe(expected, made);
        expectSubscriptions(source.subscriptions).toBe(subs);
      });
    });

    it("leaves the source when it is unsubscribed", () => {
      marbles(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot("  --m-----m--f------|", text);
        const subs = "        ^--------!";
        const expected = "    --(st)--t-";
        expectObservable(source.pipe(expandChunks(), short), subs).toBe(expected, made);
        expectSubscriptions(source.subscriptions).toBe(subs);
      });
    });

    it("passes the source's error on, without an END", () => {
      marbles(({ cold, expectObservable }) => {
        const source = cold("                             --m-----#", text);
        const expected = "                                --(st)--#";
        expectObservable(source.pipe(expandChunks(), short)).toBe(expected, made);
      });
    });

    it("is silent with a silent source and empty with an empty one", () => {
      marbles(({ expectObservable }) => {
        expectObservable(NEVER.pipe(expandChunks())).toBe("-");
        expectObservable(EMPTY.pipe(expandChunks())).toBe("|");
      });
    });

    it("stops an endless source between the events of one chunk", () => {
      function* endless() {
        for (let k = 0; ; k++) yield events.textMessageChunk({ messageId: `m${k}`, delta: "a" });
      }
      expect(collect(from(endless()).pipe(expandChunks(), take(4))).values).toHaveLength(4);
    });

    it("keeps nothing from one subscription to the next", () => {
      const source = from(runMarbles(`text~m"a"`)).pipe(expandChunks());
      expect(collect(source)).toEqual(collect(source));
    });

    it("keeps the events of a chunk together when their subscriber sends the next chunk", () => {
      const source = new Subject<AGUIEvent>();
      const seen: AGUIEvent[] = [];
      source.pipe(expandChunks()).subscribe((event) => {
        seen.push(event);
        if (seen.length === 1) source.next(events.textMessageChunk({ delta: "b" }));
      });
      source.next(events.textMessageChunk({ messageId: "m", delta: "a" }));
      expect(toRunMarbles(seen)).toBe(`text+m/assistant text:m"a" text:m"b"`);
    });
  });
});
