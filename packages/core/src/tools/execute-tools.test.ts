import {
  concat,
  EMPTY,
  from,
  map,
  NEVER,
  Observable,
  of,
  repeat,
  Subject,
  take,
  throwError,
  timer,
  toArray,
} from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { z } from "zod";
import {
  events,
  executeTools,
  tool,
  type AGUIEvent,
  type ExecutableTool,
  type ExecuteToolsOptions,
} from "../index.js";
import {
  brief,
  briefly,
  callEvents,
  echo,
  failed,
  finished,
  scopeOf,
  slow,
  started,
} from "./tools.fixture.js";

/** Everything that comes out at once. */
function executed(
  source: readonly AGUIEvent[],
  tools: ExecutableTool[],
  options?: ExecuteToolsOptions,
): AGUIEvent[] {
  const got: AGUIEvent[] = [];
  from(source)
    .pipe(executeTools(tools, options))
    .subscribe((event) => got.push(event));
  return got;
}

/** Everything that comes out until it completes. */
const all = (source: Observable<AGUIEvent>) =>
  new Promise<AGUIEvent[]>((resolve, reject) =>
    source.pipe(toArray()).subscribe({ next: resolve, error: reject }),
  );

const resultOf = (got: readonly AGUIEvent[]) => {
  const result = got.find((event) => event.type === "TOOL_CALL_RESULT");
  if (!result) throw new Error(`no result in ${briefly(got)}`);
  return result;
};

const named = (name: string, execute: ExecutableTool["execute"], more: Partial<ExecutableTool> = {}) =>
  ({ ...tool({ name, description: name, parameters: z.object({}), execute }), ...more }) as ExecutableTool;

const scheduled = (test: Parameters<TestScheduler["run"]>[0]) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);

describe("executeTools", () => {
  describe("passes on", () => {
    it.each<[string, AGUIEvent[]]>([
      ["calls of other tools", callEvents("c1", "other", '{"text":"x"}')],
      [
        "calls that the provider runs",
        callEvents("c1", "echo", '{"text":"x"}', { metadata: { "agrx.providerExecuted": true } }),
      ],
      ["a call that is cut", callEvents("c1", "echo", '{"text":"x"}').slice(0, 2)],
      ["fragments of a call that nobody opened", callEvents("c1", "echo", '{"text":"x"}').slice(1)],
      [
        "a call that is answered before it ends",
        [
          ...callEvents("c1", "echo", '{"text":"x"}').slice(0, 2),
          events.toolCallResult({ toolCallId: "c1", messageId: "m", content: "already" }),
          events.toolCallEnd({ toolCallId: "c1" }),
        ],
      ],
      ["chunks", [events.toolCallChunk({ toolCallId: "c1", toolCallName: "echo", delta: '{"text":"x"}' })]],
      ["events of other kinds", [started, events.custom({ name: "a", value: 1 }), finished]],
    ])("%s untouched", (_title, source) => {
      expect(executed(source, [echo])).toEqual(source);
    });

    it("a call that the input's messages answer", () => {
      const context = scopeOf({ messages: [{ id: "m", role: "tool", toolCallId: "c1", content: "before" }] });
      const source = callEvents("c1", "echo", '{"text":"x"}');
      expect(executed(source, [echo], { context })).toEqual(source);
    });
  });

  describe("answers a call", () => {
    it("right behind its END when the tool is synchronous", () => {
      const got = executed([started, ...callEvents("c1", "echo", '{"text":"hi"}'), finished], [echo]);
      expect(briefly(got)).toBe("S s(c1) a(c1) e(c1) r(c1: hi) F");
      expect(resultOf(got)).toEqual({
        type: "TOOL_CALL_RESULT",
        messageId: "c1-result",
        toolCallId: "c1",
        role: "tool",
        content: "hi",
      });
    });

    it.each<[string, () => unknown, unknown]>([
      ["a text", () => "text", "text"],
      ["nothing", () => undefined, ""],
      ["null", () => null, "null"],
      ["a value", () => ({ a: [1] }), '{"a":[1]}'],
      ["content parts", () => [{ type: "text", text: "a" }], [{ type: "text", text: "a" }]],
      [
        "a list that is not of parts",
        () => [{ type: "text", text: "a" }, { type: "row" }],
        '[{"type":"text","text":"a"},{"type":"row"}]',
      ],
      ["an empty list", () => [], "[]"],
      ["an Observable's last value", () => of(1, 2, 3), "3"],
      ["an empty Observable", () => EMPTY, ""],
    ])("with %s", (_title, execute, content) => {
      expect(resultOf(executed(callEvents("c1", "f", ""), [named("f", execute)])).content).toEqual(content);
    });

    it.each<[string, () => unknown, unknown]>([
      ["a promise", async () => Promise.resolve({ a: 1 }), '{"a":1}'],
      ["a promise of an Observable", async () => Promise.resolve(of("a", "b")), "b"],
      [
        "an async iterable",
        async function* () {
          yield await Promise.resolve("a");
          yield "b";
        },
        "b",
      ],
    ])("with %s", async (_title, execute, content) => {
      const got = await all(from(callEvents("c1", "f", "")).pipe(executeTools([named("f", execute)])));
      expect(resultOf(got).content).toEqual(content);
    });

    it("under the run's own ids, allocated as the calls end", () => {
      scheduled(({ flush }) => {
        const got: AGUIEvent[] = [];
        from([...callEvents("c1", "slow", '{"ms":9}'), ...callEvents("c2", "slow", '{"ms":1}')])
          .pipe(executeTools([slow()], { context: scopeOf() }))
          .subscribe((event) => got.push(event));
        flush();
        const results = got.filter((event) => event.type === "TOOL_CALL_RESULT");
        expect(results.map(({ toolCallId, messageId }) => `${toolCallId} ${messageId}`)).toEqual([
          "c2 r-msg-2",
          "c1 r-msg-1",
        ]);
      });
    });

    it("of a subagent as the subagent's", () => {
      const got = executed(callEvents("c1", "echo", '{"text":"x"}', { subagentRunId: "sub" }), [echo]);
      expect(resultOf(got).subagentRunId).toBe("sub");
    });

    it("telling the tool of the call and the run", () => {
      const seen: unknown[] = [];
      const look = tool({
        name: "look",
        description: "Looks.",
        parameters: z.object({ n: z.coerce.number() }),
        execute: (args, { call, input, signal }) => {
          const { id, name, args: same, resultMessageId } = call;
          seen.push({
            args,
            id,
            name,
            same,
            resultMessageId,
            threadId: input?.threadId,
            aborted: signal.aborted,
          });
        },
      });
      const input = { threadId: "t1", runId: "r1", messages: [], tools: [], context: [] };
      executed(
        [events.runStarted({ threadId: "t1", runId: "r1", input }), ...callEvents("c1", "look", '{"n":"4"}')],
        [look],
      );
      const args = { n: 4 };
      expect(seen).toEqual([
        {
          args,
          id: "c1",
          name: "look",
          same: args,
          resultMessageId: "c1-result",
          threadId: "t1",
          aborted: false,
        },
      ]);
    });

    it("with the text of its arguments as it is where the tool takes free text", () => {
      const shell = tool({
        name: "shell",
        description: "Runs.",
        parameters: z.string(),
        execute: (text) => text,
      });
      expect(resultOf(executed(callEvents("c1", "shell", 'ls "a b"'), [shell])).content).toBe('ls "a b"');
    });

    it("with defaults where no argument came", () => {
      const count = tool({
        name: "count",
        description: "Counts.",
        parameters: z.object({ from: z.number().default(7) }),
        execute: ({ from: first }) => first,
      });
      expect(resultOf(executed(callEvents("c1", "count", ""), [count])).content).toBe("7");
    });
  });

  describe("runs a call once", () => {
    const counting = () => {
      const runs: string[] = [];
      const count = named("count", (_args, { call }) => {
        runs.push(call.id);
        return runs.length;
      });
      return { runs, count };
    };
    const call = callEvents("c1", "count", "{}");

    it.each<[string, AGUIEvent[]]>([
      ["replayed", [...call, ...call]],
      ["reopened", [...call, call[0]!, call[2]!]],
      ["ended twice", [...call, call[2]!]],
      ["replayed in a later run", [started, ...call, finished, started, ...call, finished]],
      ["replayed after the run failed", [started, ...call, failed, started, ...call]],
    ])("when it is %s", (_title, source) => {
      const { runs, count } = counting();
      const got = executed(source, [count]);
      expect(runs).toEqual(["c1"]);
      expect(got.filter((event) => event.type === "TOOL_CALL_RESULT")).toHaveLength(1);
      expect(got.filter((event) => event.type !== "TOOL_CALL_RESULT")).toEqual(source);
    });

    it("for each subscriber", () => {
      const { runs, count } = counting();
      const source = from(call).pipe(executeTools([count]));
      source.subscribe();
      source.subscribe();
      expect(runs).toEqual(["c1", "c1"]);
    });

    it("not at all when its answer comes while it waits in line, and drops it when it runs", () => {
      const log: string[] = [];
      const answer = (id: string) =>
        events.toolCallResult({ toolCallId: id, messageId: `m-${id}`, content: "other" });
      const source = new Subject<AGUIEvent>();
      const got: AGUIEvent[] = [];
      source.pipe(executeTools([slow(log)], { concurrency: 1 })).subscribe((event) => got.push(event));
      const calls = [...callEvents("c1", "slow", '{"ms":3}'), ...callEvents("c2", "slow", '{"ms":3}')];
      [started, ...calls, answer("c2"), answer("c1"), finished].forEach((event) => source.next(event));
      expect(log).toEqual(["start c1", "abort c1"]);
      expect(got).toEqual([started, ...calls, answer("c2"), answer("c1"), finished]);
    });
  });

  describe("in time", () => {
    const answered = (id: string, content: string, more: object = {}) =>
      ({
        type: "TOOL_CALL_RESULT",
        messageId: `${id}-result`,
        toolCallId: id,
        role: "tool",
        content,
        ...more,
      }) as AGUIEvent;
    const [s, a, e] = callEvents("c1", "slow", '{"ms":5}');
    const [t, b, f] = callEvents("c2", "slow", '{"ms":2}');
    const values: Record<string, AGUIEvent> = {
      ...({ S: started, F: finished, X: failed, s, a, e, t, b, f } as Record<string, AGUIEvent>),
      p: events.custom({ name: "p", value: 1 }),
      r: answered("c1", "c1 after 5"),
      q: answered("c2", "c2 after 2"),
      x: answered("c1", "slow failed: it took longer than 3 ms.", {
        metadata: { "agrx.toolError": "tool-timeout" },
      }),
    };

    it.each<
      [string, source: string, subscribed: string, expected: string, ended: string[], ExecuteToolsOptions?]
    >([
      [
        "gives a result while the stream goes on",
        "S-s-a-e-t-b-f------F|",
        "^-------------------!",
        "S-s-a-e-t-brf-q----F|",
        [],
      ],
      [
        "gives results in the order of completion",
        "S-s-t-a-b-ef-------F|",
        "^-------------------!",
        "S-s-t-a-b-ef-q-r---F|",
        [],
      ],
      ["holds RUN_FINISHED for a result", "S-s-a-e-F|", "^--------!", "S-s-a-e----(rF|)", []],
      [
        "holds what follows RUN_FINISHED with it",
        "S-s-a-e-FSpF------|",
        "^-----------------!",
        "S-s-a-e----(rFSpF)|",
        [],
      ],
      ["passes RUN_FINISHED at once when nothing runs", "S-F-|", "^---!", "S-F-|", []],
      [
        "aborts tools at RUN_ERROR, which passes",
        "S-s-a-e-X--|",
        "^----------!",
        "S-s-a-e-X--|",
        ["abort c1"],
      ],
      [
        "lets a held RUN_FINISHED go before RUN_ERROR",
        "S-s-a-e-FX----|",
        "^-------------!",
        "S-s-a-e--(FX)-|",
        ["abort c1"],
      ],
      ["waits for tools when its source completes", "s-a-e|", "^----!", "s-a-e----(r|)", []],
      ["errors with its source at once", "s-a-e-#", "^-----!", "s-a-e-#", ["abort c1"]],
      ["lets calls wait in line", "saetbf|", "^-----!", "saetbf-r-(q|)", [], { concurrency: 1 }],
      ["ends a tool that takes too long", "sae|", "^--!", "sae--(x|)", ["abort c1"], { timeout: 3 }],
      ["lets a tool end that is in time", "sae|", "^--!", "sae----(r|)", [], { timeout: 6 }],
      ["passes nothing of never", "-", "^", "-", []],
      ["completes with an empty source", "|", "(^!)", "|", []],
    ])("%s", (_title, marbles, subscribed, expected, ended, ...[options]) => {
      const log: string[] = [];
      scheduled(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot(marbles, values);
        expectObservable(source.pipe(executeTools([slow(log)], options))).toBe(expected, values);
        expectSubscriptions(source.subscriptions).toBe(subscribed);
      });
      expect(log.filter((line) => line.startsWith("abort"))).toEqual(ended);
    });

    it("aborts every running tool and leaves its source when it is unsubscribed", () => {
      const log: string[] = [];
      scheduled(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot("saetbf-----|", values);
        const unsub = "     ------!     ";
        const expected = "  saetbf------";
        expectObservable(source.pipe(executeTools([slow(log)])), unsub).toBe(expected, values);
        expectSubscriptions(source.subscriptions).toBe("^-----!");
      });
      expect(log).toEqual(["start c1", "start c2", "abort c1", "abort c2"]);
    });

    it("sends what a tool emits into the stream at once, and nothing of it afterwards", () => {
      scheduled(({ cold, hot, expectObservable }) => {
        let late: () => void = () => undefined;
        const busy = named("slow", (_args, { call }) => {
          late = () => call.emit(values["p"]!);
          return cold<string>("-p-p-(d|)").pipe(
            map((step) => {
              if (step === "p") call.emit(values["p"]!);
              return step;
            }),
          );
        });
        const source = hot("sae-F------S--|", values);
        const expected = "  saep-p-(dF)S--|";
        timer(9).subscribe(() => late());
        expectObservable(source.pipe(executeTools([busy]))).toBe(expected, {
          ...values,
          d: answered("c1", "d"),
        });
      });
    });

    it.each<[string, retry: ExecuteToolsOptions["retry"], expected: string]>([
      ["as often as it may", 2, "sae--(y|)"],
      ["by a RetryConfig, with its delay", { count: 2, delay: 3 }, "sae--------(y|)"],
      ["no more often than it may", 1, "sae-(n|)"],
      ["not at all by default", undefined, "sae(n|)"],
    ])("tries a failing tool again %s", (_title, retry, expected) => {
      scheduled(({ hot, expectObservable }) => {
        let tries = 0;
        const signals = new Set<AbortSignal>();
        const shaky = named("slow", (_args, { signal }) => {
          signals.add(signal);
          expect(signals.size).toBe(++tries);
          return timer(1).pipe(
            map(() => {
              if (tries < 3) throw new Error("shaky");
              return "at last";
            }),
          );
        });
        expectObservable(hot("sae|", values).pipe(executeTools([shaky], { retry }))).toBe(expected, {
          ...values,
          y: answered("c1", "at last"),
          n: answered("c1", "slow failed: shaky", { metadata: { "agrx.toolError": "tool-failed" } }),
        });
      });
    });

    it("aborts an attempt that takes too long before the next one starts", () => {
      const log: string[] = [];
      scheduled(({ hot, expectObservable }) => {
        expectObservable(hot("sae|", values).pipe(executeTools([slow(log)], { timeout: 3, retry: 1 }))).toBe(
          "sae-----(x|)",
          values,
        );
      });
      expect(log).toEqual(["start c1", "abort c1", "start c1", "abort c1"]);
    });
  });

  describe("of what fails", () => {
    const strict = tool({
      name: "strict",
      description: "Takes a number.",
      parameters: z.object({ n: z.number(), secret: z.string().optional() }),
      execute: ({ n }) => n,
    });
    const throwing = named("throwing", () => {
      throw new Error("no such city");
    });

    it.each<[string, ExecutableTool, args: string, content: RegExp, code: string]>([
      [
        "arguments that do not fit",
        strict,
        '{"n":"x"}',
        /^The arguments of strict are invalid: n: .* number.*Call it again/,
        "invalid-arguments",
      ],
      [
        "arguments that are cut",
        strict,
        '{"n":1,"secret":"s3cr',
        /^The arguments of strict are invalid: /,
        "invalid-arguments",
      ],
      [
        "arguments that are no JSON",
        strict,
        '{"n":1,"secret": s3cret}',
        /^The arguments of strict are invalid: /,
        "invalid-arguments",
      ],
      ["a tool that throws", throwing, "{}", /^throwing failed: no such city$/, "tool-failed"],
      [
        "a tool that throws a text",
        named("throwing", () => {
          throw "text";
        }),
        "{}",
        /^throwing failed: text$/,
        "tool-failed",
      ],
      [
        "a tool that throws anything",
        named("throwing", () => {
          throw { a: 1 };
        }),
        "{}",
        /^throwing failed: it gave no reason$/,
        "tool-failed",
      ],
      [
        "an Observable that errors",
        named("throwing", () => throwError(() => new Error("rx"))),
        "{}",
        /^throwing failed: rx$/,
        "tool-failed",
      ],
      [
        "a result that has no JSON",
        named("throwing", () => 1n),
        "{}",
        /^throwing failed: .*BigInt/,
        "tool-failed",
      ],
      [
        "a long reason",
        named("throwing", () => {
          throw new Error("x".repeat(9999));
        }),
        "{}",
        /^throwing failed: x{500}\.\.\.$/,
        "tool-failed",
      ],
    ])("tells the model of %s", (_title, failing, args, content, code) => {
      const got = executed(callEvents("c1", failing.name, args), [failing]);
      const result = resultOf(got);
      expect(result.content).toMatch(content);
      expect(result.content).not.toMatch(/s3cr/);
      expect(result.metadata).toEqual({ "agrx.toolError": code });
    });

    it("tells the model of a promise that rejects", async () => {
      const rejecting = named("rejecting", () => Promise.reject(new Error("async")));
      const got = await all(from(callEvents("c1", "rejecting", "")).pipe(executeTools([rejecting])));
      expect(resultOf(got).content).toBe("rejecting failed: async");
    });

    it("waits for a schema that validates asynchronously", async () => {
      const parameters = z
        .object({ n: z.number() })
        .refine(({ n }) => Promise.resolve(n > 1), "n is too small");
      const later = tool({ ...strict, parameters, execute: ({ n }) => n });
      const source = [...callEvents("c1", "strict", '{"n":1}'), ...callEvents("c2", "strict", '{"n":2}')];
      const got = await all(from(source).pipe(executeTools([later])));
      expect(got.slice(-2).map(brief)).toEqual([
        "r(c1: The arguments of strict are invalid: n is too small. Call it again with arguments that fit its parameters.)",
        "r(c2: 2)",
      ]);
    });

    it("does not try again what it was called with", () => {
      const got = executed(callEvents("c1", "strict", "{}"), [strict], { retry: 3 });
      expect(got.filter((event) => event.type === "TOOL_CALL_RESULT")).toHaveLength(1);
    });

    it("makes it the end of the run with `fail`: aborts the others, leaves the source, completes", () => {
      const log: string[] = [];
      let left = false;
      const source = concat(
        from([
          started,
          ...callEvents("c1", "slow", '{"ms":9}'),
          ...callEvents("c2", "throwing", ""),
          finished,
        ]),
        new Observable<never>(() => () => (left = true)),
      );
      const got: AGUIEvent[] = [];
      let completed = false;
      source.pipe(executeTools([slow(log), throwing], { onError: "fail" })).subscribe({
        next: (event) => {
          got.push(event);
          if (event.type === "RUN_ERROR") log.push("RUN_ERROR");
        },
        complete: () => (completed = true),
      });
      expect(briefly(got)).toBe("S s(c1) a(c1) e(c1) s(c2) e(c2) X(tool-failed)");
      expect(got.at(-1)).toMatchObject({ message: "throwing failed: no such city" });
      expect({ log, left, completed }).toEqual({
        log: ["start c1", "abort c1", "RUN_ERROR"],
        left: false,
        completed: true,
      });
    });

    it.each<[string, AGUIEvent]>([
      ["the run's end", finished],
      ["an error of the run", failed],
      ["its own result", events.toolCallResult({ toolCallId: "c1", messageId: "m", content: "" })],
    ])("refuses a tool that emits %s", (_title, event) => {
      const rude = named("rude", (_args, { call }) => call.emit(event));
      const got = executed(callEvents("c1", "rude", ""), [rude]);
      expect(briefly(got)).toMatch(/^s\(c1\) e\(c1\) r\(c1: rude failed: Tool "rude" emitted [A-Z_]+\./);
    });

    it("errors when the run cannot give an id", () => {
      const context = {
        ...scopeOf(),
        nextMessageId: (): string => {
          throw new Error("no more ids");
        },
      };
      let message = "";
      from(callEvents("c1", "echo", '{"text":"a"}'))
        .pipe(executeTools([echo], { context }))
        .subscribe({ error: (error: unknown) => (message = (error as Error).message) });
      expect(message).toBe("no more ids");
    });

    it("refuses two tools of one name", () => {
      expect(() => executeTools([echo, echo])).toThrow(expect.objectContaining({ code: "duplicate-tool" }));
    });
  });

  it("stops an endless synchronous source", () => {
    const runs: string[] = [];
    const count = named("count", (_args, { call }) => void runs.push(call.id));
    const got: string[] = [];
    from(callEvents("c1", "count", ""))
      .pipe(repeat(), executeTools([count]), take(3))
      .subscribe((event) => got.push(brief(event)));
    expect(got).toEqual(["s(c1)", "e(c1)", "r(c1: )"]);
    expect(runs).toEqual(["c1"]);
  });

  it("runs nothing for a subscriber who leaves at the END", () => {
    const runs: string[] = [];
    const count = named("count", (_args, { call }) => void runs.push(call.id));
    from(callEvents("c1", "count", ""))
      .pipe(executeTools([count]), take(2))
      .subscribe();
    expect(runs).toEqual([]);
  });

  it("keeps the result before the RUN_FINISHED that its receiver causes while END goes out", () => {
    const source = new Subject<AGUIEvent>();
    const got: string[] = [];
    source.pipe(executeTools([echo])).subscribe((event) => {
      got.push(brief(event));
      if (event.type === "TOOL_CALL_END") source.next(finished);
    });
    callEvents("c1", "echo", '{"text":"x"}').forEach((event) => source.next(event));
    expect(got).toEqual(["s(c1)", "a(c1)", "e(c1)", "r(c1: x)", "F"]);
  });

  it("leaves no timer behind", () => {
    jest.useFakeTimers();
    const subscription = from(callEvents("c1", "never", ""))
      .pipe(executeTools([named("never", () => NEVER)], { timeout: 1000 }))
      .subscribe();
    executed(callEvents("c1", "echo", '{"text":"x"}'), [echo], { timeout: 1000 });
    expect(jest.getTimerCount()).toBe(1);
    subscription.unsubscribe();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });
});
