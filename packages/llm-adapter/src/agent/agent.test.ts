import {
  EventType,
  scanRun,
  tool,
  type AGUIEvent,
  type Message,
  type RunAgentInput,
  type RunView,
} from "@agrx/core";
import { verify } from "@agrx/verify";
import { from, lastValueFrom, NEVER, Observable, of, toArray } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { z } from "zod";
import type { Delta } from "../delta.js";
import { ProviderError } from "../provider-error.js";
import { fakeModel, type FakeAnswer } from "../testing/index.js";
import { agent, type AgentOptions } from "./agent.js";

const input = (extra: Partial<RunAgentInput> = {}): RunAgentInput => ({
  threadId: "t",
  runId: "r",
  messages: [{ id: "u", role: "user", content: "Hi" }],
  tools: [],
  context: [],
  ...extra,
});
const ran: string[] = [];
const weather = tool({
  name: "get_weather",
  description: "Weather",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => {
    ran.push(city);
    return { city, celsius: 21 };
  },
});
beforeEach(() => ran.splice(0));

const eventsOf = (options: AgentOptions, given = input()) =>
  lastValueFrom(agent(options)(given).pipe(toArray()));
const viewOf = (
  events: readonly AGUIEvent[],
  messages: readonly Message[] = input().messages,
): Promise<RunView> => lastValueFrom(from(events).pipe(verify(), scanRun({ messages })));
const call = (city: string, id?: string) => ({ call: "get_weather", args: { city }, ...(id ? { id } : {}) });
const failure = (retryable: boolean, extra = {}) =>
  new ProviderError({ code: "overloaded", message: "Busy", retryable, provider: "fake", ...extra });

describe("agent", () => {
  it("runs its tools, asks again with their results, and ends when the model asks for none", async () => {
    const model = fakeModel([["Looking.", call("Seoul"), call("Oslo")], "Warm in both."]);
    const view = await viewOf(await eventsOf({ model, tools: [weather], instructions: "Be brief." }));
    expect(view.status).toBe("finished");
    expect(ran).toEqual(["Seoul", "Oslo"]);
    expect(view.messages.at(-1)).toMatchObject({ role: "assistant", content: "Warm in both." });
    expect(model.requests).toHaveLength(2);
    expect(model.requests[0]).toMatchObject({ instructions: "Be brief.", tools: [{ name: "get_weather" }] });
    const second = model.requests[1]!.messages;
    expect(second.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
  });

  it("leaves the client's call open and ends there, listing it as pending", async () => {
    const panel = { name: "open_panel", description: "", parameters: {} };
    const model = fakeModel([[{ call: "open_panel", id: "c9" }]]);
    const events = await eventsOf({ model, tools: [weather] }, input({ tools: [panel] }));
    expect(events.at(-1)).toMatchObject({
      type: EventType.RUN_FINISHED,
      outcome: { type: "success", pendingToolCallIds: ["c9"] },
    });
    expect(model.requests[0]!.tools!.map(({ name }) => name)).toEqual(["get_weather", "open_panel"]);
  });

  it("answers its own call before it hands over one of the client's from the same turn", async () => {
    const model = fakeModel([[call("Seoul", "own"), { call: "open_panel", id: "theirs" }]]);
    const events = await eventsOf({ model, tools: [weather] });
    const results = events.flatMap((event) =>
      event.type === EventType.TOOL_CALL_RESULT ? [event.toolCallId] : [],
    );
    expect(results).toEqual(["own"]);
    expect(events.at(-1)).toMatchObject({ outcome: { pendingToolCallIds: ["theirs"] } });
    expect(model.requests).toHaveLength(1);
  });

  it("goes on from the client's answer in the next run", async () => {
    const model = fakeModel(["Opened."]);
    const messages: Message[] = [
      ...input().messages,
      {
        id: "a",
        role: "assistant",
        toolCalls: [{ id: "c", type: "function", function: { name: "open_panel", arguments: "{}" } }],
      },
      { id: "x", role: "tool", toolCallId: "c", content: "ok" },
    ];
    const view = await viewOf(await eventsOf({ model }, input({ messages })), messages);
    expect(view.messages.at(-1)).toMatchObject({ content: "Opened." });
    expect(model.requests[0]!.messages).toHaveLength(3);
  });

  it("stops with max-turns when the model would go on for ever", async () => {
    const model = fakeModel(Array.from({ length: 9 }, () => [call("Seoul")]));
    const events = await eventsOf({ model, tools: [weather], maxTurns: 3 });
    expect(events.at(-1)).toMatchObject({ type: EventType.RUN_ERROR, code: "max-turns" });
    expect(model.requests).toHaveLength(3);
  });

  it("asks again after a pause, though there was no call", async () => {
    const pause: Delta = { type: "finish", reason: "pause", raw: "pause_turn" };
    const model = fakeModel([["Thinking", pause], " more"]);
    await eventsOf({ model });
    expect(model.requests).toHaveLength(2);
  });

  it("sums the usage of all turns into the terminal event, and tells each turn's", async () => {
    const usage = (inputTokens: number): Delta => ({
      type: "usage",
      usage: { provider: "fake", model: "m", inputTokens },
    });
    const told: unknown[] = [];
    const model = fakeModel([
      [usage(1), call("Seoul"), usage(5)],
      ["Done", usage(7)],
    ]);
    const events = await eventsOf({
      model,
      tools: [weather],
      onUsage: (turn) => told.push(turn.inputTokens),
    });
    expect(told).toEqual([5, 7]);
    expect(events.at(-1)).toMatchObject({ usage: [{ provider: "fake", model: "m", inputTokens: 12 }] });
  });

  it("runs no tool of a call that was cut, and ends with the provider's error", async () => {
    const cut: Delta[] = [
      { type: "tool-call-start", key: "k", id: "c", name: "get_weather" },
      { type: "tool-call-fragment", key: "k", text: '{"city":"Se' },
      { type: "tool-call-end", key: "k", status: "incomplete" },
      { type: "finish", reason: "length", raw: "length" },
    ];
    const events = await eventsOf({ model: fakeModel([cut]), tools: [weather] });
    expect(ran).toEqual([]);
    expect(events.some(({ type }) => type === EventType.TOOL_CALL_END)).toBe(false);
    expect(events.at(-1)).toMatchObject({ type: EventType.RUN_ERROR });
  });

  it("lets the model mend arguments that do not fit", async () => {
    const model = fakeModel([[{ call: "get_weather", args: { town: 1 } }], [call("Seoul")], "Done"]);
    const events = await eventsOf({ model, tools: [weather] });
    expect(ran).toEqual(["Seoul"]);
    expect(events.at(-1)?.type).toBe(EventType.RUN_FINISHED);
  });
});

describe("agent's approvals", () => {
  const remove = tool({
    name: "remove",
    description: "Removes",
    parameters: z.object({ file: z.string() }),
    needsApproval: true,
    execute: ({ file }) => {
      ran.push(file);
      return "gone";
    },
  });
  const asked = () =>
    eventsOf({ model: fakeModel([[{ call: "remove", args: { file: "a" }, id: "c1" }]]), tools: [remove] });
  const resumed = (view: RunView, resume: RunAgentInput["resume"]) =>
    input({ runId: "r2", messages: [...view.messages], ...(resume && { resume }) });

  it("end the run with an interrupt, and run the tool in the run that resumes it", async () => {
    const view = await viewOf(await asked());
    expect([view.status, ran]).toEqual(["interrupted", []]);
    const [interrupt] = view.interrupts;
    const next = resumed(view, [
      { interruptId: interrupt!.id, status: "resolved", payload: { approved: true } },
    ]);
    const model = fakeModel(["Removed."]);
    const events = await eventsOf({ model, tools: [remove] }, next);
    expect(ran).toEqual(["a"]);
    expect(events.at(-1)?.type).toBe(EventType.RUN_FINISHED);
    expect(model.requests[0]!.messages.at(-1)).toMatchObject({ role: "tool", content: "gone" });
  });

  it("tell the model when they are declined", async () => {
    const view = await viewOf(await asked());
    const next = resumed(view, [{ interruptId: view.interrupts[0]!.id, status: "cancelled" }]);
    const model = fakeModel(["Then not."]);
    await eventsOf({ model, tools: [remove] }, next);
    expect(ran).toEqual([]);
    expect(model.requests[0]!.messages.at(-1)).toMatchObject({ role: "tool", toolCallId: "c1" });
  });

  it("interrupt again, without asking the model, when no answer came", async () => {
    const view = await viewOf(await asked());
    const model = fakeModel([]);
    const events = await eventsOf({ model, tools: [remove] }, resumed(view, undefined));
    expect(events.at(-1)).toMatchObject({
      outcome: { type: "interrupt", interrupts: [{ toolCallId: "c1" }] },
    });
    expect(model.requests).toHaveLength(0);
  });
});

describe("agent's retries", () => {
  it("ask again after a failure before the first delta, and wait as the provider says", () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
      ({ expectObservable, cold }) => {
        let asked = 0;
        const model = () =>
          asked++ === 0
            ? cold<Delta>("#", {}, failure(true, { retryAfter: 7 }))
            : of<Delta>({ type: "finish", reason: "stop", raw: "stop" });
        const asyncModel = () => new Observable<Delta>((subscriber) => model().subscribe(subscriber));
        const types$ = agent({ model: asyncModel })(input());
        expectObservable(types$).toBe("a------(b|)", {
          a: expect.objectContaining({ type: EventType.RUN_STARTED }) as unknown,
          b: expect.objectContaining({ type: EventType.RUN_FINISHED }) as unknown,
        });
      },
    );
  });

  it.each<[string, FakeAnswer[], number]>([
    ["the failure is no passing one", [failure(false), "never"], 1],
    ["a delta has come already", [["Hel", { type: "error", error: failure(true) }], "never"], 1],
    ["two more tries have failed", [failure(true), failure(true), failure(true), "never"], 3],
  ])("stop when %s", async (_name, script, requests) => {
    const model = fakeModel(script);
    const events = await eventsOf({ model, retry: { delay: 1 } });
    expect(events.at(-1)).toMatchObject({ type: EventType.RUN_ERROR, code: "overloaded" });
    expect(model.requests).toHaveLength(requests);
  });
});

describe("an agent that is left", () => {
  it("leaves the model's stream and aborts the running tool at once", () => {
    let left = false;
    const stalled = () =>
      new Observable<Delta>((subscriber) => {
        subscriber.next({ type: "text", text: "Hm" });
        return () => (left = true);
      });
    agent({ model: stalled })(input()).subscribe().unsubscribe();
    expect(left).toBe(true);

    let signal: AbortSignal | undefined;
    const slow = tool({
      name: "slow",
      description: "",
      parameters: z.object({}),
      execute: (_args, execution) => {
        ({ signal } = execution);
        return NEVER;
      },
    });
    const running = agent({ model: fakeModel([[{ call: "slow" }]]), tools: [slow] })(input()).subscribe();
    expect(signal?.aborted).toBe(false);
    running.unsubscribe();
    expect(signal?.aborted).toBe(true);
  });

  it("politely ends as cancelled, with what was open closed", async () => {
    const stop = new AbortController();
    const model = () => new Observable<Delta>((subscriber) => subscriber.next({ type: "text", text: "Hm" }));
    const seen: AGUIEvent[] = [];
    agent({ model })(input(), { stop: stop.signal }).subscribe((event) => seen.push(event));
    stop.abort();
    expect((await viewOf(seen)).status).toBe("cancelled");
    expect(seen.at(-2)?.type).toBe(EventType.TEXT_MESSAGE_END);
  });

  it("asks nothing before it is subscribed to, and anew for each subscriber", () => {
    const model = fakeModel(["a", "b"]);
    const run$ = agent({ model })(input());
    expect(model.requests).toHaveLength(0);
    run$.subscribe();
    run$.subscribe();
    expect(model.requests).toHaveLength(2);
  });
});
