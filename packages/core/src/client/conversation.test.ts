import { NEVER, of, Subject, concat, throwError, type Observable } from "rxjs";
import { z } from "zod";
import { events } from "../protocol/events.js";
import type { AGUIEvent, Message, RunAgentInput } from "../protocol/vocabulary.js";
import { run } from "../run/run.js";
import { tool } from "../tools/tool.js";
import { send as sendResponse, serve } from "../transport/http-server.fixture.js";
import { parseRunInput } from "../boundary/parse-run-input.js";
import { toResponse } from "../transport/to-response.js";
import { connect, type Connection } from "./connect.js";
import { conversation, type ConversationOptions } from "./conversation.js";
import type { ConversationView } from "./conversation-view.js";

const openPanel = tool({
  name: "open_panel",
  description: "Opens a panel.",
  parameters: z.object({ panel: z.string() }),
  execute: ({ panel }) => `${panel} is open`,
});

/** An agent in the same process that keeps the inputs it gets; each run is the next of the given ones. */
function agentOf(...runs: ((input: RunAgentInput) => Observable<AGUIEvent>)[]) {
  const inputs: RunAgentInput[] = [];
  const connection: Connection = (input) => {
    inputs.push(input);
    return runs[Math.min(inputs.length, runs.length) - 1]!(input);
  };
  return { inputs, connection };
}

const says =
  (text: string) =>
  (input: RunAgentInput): Observable<AGUIEvent> =>
    run(input, (ctx) => ctx.text(text));

const calls =
  (name: string, args: object) =>
  (input: RunAgentInput): Observable<AGUIEvent> =>
    run(input, (ctx) => ctx.toolCall(name, { args }));

function ids() {
  let count = 0;
  return () => `id-${++count}`;
}

/** A conversation somebody looks at, and all that they saw. */
function watch(connection: Connection, options: ConversationOptions = {}) {
  const chat = conversation(connection, { newId: ids(), ...options });
  const views: ConversationView[] = [];
  const subscription = chat.view$.subscribe((view) => views.push(view));
  return { chat, views, subscription };
}

const shown = (messages: readonly Message[]) =>
  messages.map((message) => [message.role, "content" in message ? message.content : undefined]);

const settled = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
};

describe("conversation", () => {
  it("shows the thread at once, the message when it is sent, and the answer as it streams", () => {
    const source = new Subject<AGUIEvent>();
    const { chat, views } = watch(() => source, { threadId: "t" });
    expect(views).toMatchObject([
      { threadId: "t", runId: undefined, status: "idle", busy: false, messages: [] },
    ]);
    chat.send("hello");
    expect(views.at(-1)).toMatchObject({ status: "running", busy: true, messages: [{ content: "hello" }] });
    source.next(events.runStarted({ threadId: "t", runId: "r" }));
    source.next(events.textMessageChunk({ messageId: "m", delta: "Hi" }));
    expect(views.at(-1)!.messages.at(-1)).toMatchObject({ role: "assistant", content: "Hi" });
    source.next(events.runFinished({ threadId: "t", runId: "r" }));
    expect(views.at(-1)).toMatchObject({ status: "finished", busy: true });
    source.complete();
    expect(views.at(-1)).toMatchObject({ status: "finished", busy: false, runId: "r" });
    expect(chat.view).toBe(views.at(-1));
  });

  it("keeps messages and state over its runs, in one thread", () => {
    const agent = agentOf(
      (input) =>
        run(input, (ctx) => {
          ctx.setState({ turns: 1 });
          return ctx.text("one");
        }),
      says("two"),
    );
    const { chat } = watch(agent.connection);
    chat.send("first");
    chat.send([{ type: "text", text: "second" }]);
    chat.send({ id: "mine", role: "user", content: "third", name: "Ann" });
    expect(shown(chat.view.messages)).toEqual([
      ["user", "first"],
      ["assistant", "one"],
      ["user", [{ type: "text", text: "second" }]],
      ["assistant", "two"],
      ["user", "third"],
      ["assistant", "two"],
    ]);
    expect(chat.view.messages[4]).toMatchObject({ id: "mine", name: "Ann" });
    expect(chat.view.state).toEqual({ turns: 1 });
    expect(agent.inputs.map((input) => input.state)).toEqual([{}, { turns: 1 }, { turns: 1 }]);
    expect(new Set(agent.inputs.map((input) => input.threadId)).size).toBe(1);
    expect(new Set(agent.inputs.map((input) => input.runId)).size).toBe(3);
  });

  it("sends tools, context and forwarded properties with each run", () => {
    const agent = agentOf(says("ok"));
    let entries = 0;
    const { chat } = watch(agent.connection, {
      tools: [openPanel],
      context: () => [{ description: "entry", value: String(++entries) }],
      forwardedProps: { a: 1 },
    });
    chat.send("a");
    chat.send("b");
    expect(agent.inputs.map(({ context }) => context[0]!.value)).toEqual(["1", "2"]);
    expect(agent.inputs[1]).toMatchObject({ tools: [{ name: "open_panel" }], forwardedProps: { a: 1 } });
  });

  it("runs the client's tools after the run and goes on with their answers", async () => {
    const agent = agentOf(calls("open_panel", { panel: "help" }), says("done"));
    const { chat, views } = watch(agent.connection, { tools: [openPanel] });
    chat.send("open help");
    await settled();
    expect(shown(chat.view.messages)).toEqual([
      ["user", "open help"],
      ["assistant", undefined],
      ["tool", "help is open"],
      ["assistant", "done"],
    ]);
    expect(agent.inputs[1]!.messages.at(-1)).toMatchObject({ role: "tool", content: "help is open" });
    expect(chat.view).toMatchObject({ status: "finished", busy: false });
    expect(chat.view.toolCalls).toMatchObject([{ name: "open_panel", result: "help is open" }]);
    // Busy from the message to the last view, without a gap between the runs.
    expect(views.map(({ busy }) => busy).lastIndexOf(false)).toBe(views.length - 1);
    expect(views.slice(1, -1).every(({ busy }) => busy)).toBe(true);
  });

  it("runs no tool before the run has finished, nor when it fails", async () => {
    let executed = 0;
    const counting = tool({
      name: "f",
      description: "",
      parameters: z.object({}),
      execute: () => void executed++,
    });
    const agent = agentOf((input) =>
      concat(
        of(
          events.runStarted(input),
          events.toolCallStart({ toolCallId: "c", toolCallName: "f" }),
          events.toolCallArgs({ toolCallId: "c", delta: "{}" }),
          events.toolCallEnd({ toolCallId: "c" }),
        ),
        of(events.runError({ message: "broken", code: "model" })),
      ),
    );
    const { chat } = watch(agent.connection, { tools: [counting] });
    chat.send("a");
    await settled();
    expect(executed).toBe(0);
    expect(chat.view).toMatchObject({
      status: "failed",
      busy: false,
      error: { message: "broken", code: "model" },
    });
  });

  it("answers a tool that is not there with an error, or as it is told", async () => {
    const agent = agentOf(calls("nobody", {}), says("done"));
    const { chat } = watch(agent.connection);
    chat.send("a");
    await settled();
    expect(agent.inputs[1]!.messages.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining("nobody") as string,
      error: expect.stringContaining("nobody") as string,
    });
    const told = agentOf(calls("nobody", {}), says("done"));
    const other = watch(told.connection, { onUnknownToolCall: ({ name }) => `no ${name} today` });
    other.chat.send("a");
    await settled();
    expect(told.inputs[1]!.messages.at(-1)).toMatchObject({ content: "no nobody today" });
  });

  it("stops after as many runs as it may, with all calls answered", async () => {
    const agent = agentOf(calls("open_panel", { panel: "help" }));
    const { chat } = watch(agent.connection, { tools: [openPanel], maxRounds: 3 });
    chat.send("a");
    await settled();
    expect(agent.inputs).toHaveLength(3);
    expect(chat.view).toMatchObject({ status: "failed", busy: false, error: { code: "max-rounds" } });
    expect(chat.view.messages.at(-1)).toMatchObject({ role: "tool" });
  });

  it("shows what fails and goes on with the next message", () => {
    const failure = Object.assign(new Error("refused"), { code: "http-status" });
    const agent = agentOf(
      () => throwError(() => failure),
      (input) => of(events.runStarted(input)),
      says("at last"),
    );
    const { chat } = watch(agent.connection);
    chat.send("a");
    expect(chat.view).toMatchObject({ status: "failed", error: { message: "refused", code: "http-status" } });
    chat.send("b");
    expect(chat.view).toMatchObject({ status: "failed", busy: false, error: { code: "truncated" } });
    chat.send("c");
    expect(chat.view).toMatchObject({ status: "finished", error: undefined });
    expect(shown(agent.inputs[2]!.messages)).toEqual([
      ["user", "a"],
      ["user", "b"],
      ["user", "c"],
    ]);
  });

  describe("when it is stopped", () => {
    const hanging = (input: RunAgentInput): Observable<AGUIEvent> =>
      concat(
        of(
          events.runStarted(input),
          events.toolCallStart({ toolCallId: "c", toolCallName: "f", parentMessageId: "m" }),
          events.toolCallArgs({ toolCallId: "c", delta: '{"a' }),
        ),
        NEVER,
      );

    it("aborts the run before `stop` returns, and keeps what came", () => {
      let signal: AbortSignal | undefined;
      const { chat, subscription } = watch((input) =>
        run(input, (ctx) => {
          signal = ctx.signal;
          return concat(ctx.text("half"), NEVER);
        }),
      );
      chat.send("a");
      chat.stop();
      expect(signal!.aborted).toBe(true);
      expect(chat.view).toMatchObject({ status: "cancelled", busy: false });
      expect(chat.view.messages.at(-1)).toMatchObject({ content: "half" });
      expect(subscription.closed).toBe(false);
    });

    it("changes nothing when nothing is at work", () => {
      const { chat, views } = watch(says("ok"));
      chat.send("a");
      const before = views.length;
      chat.stop();
      expect(views).toHaveLength(before);
    });

    it("answers the calls that it cut with the next message", () => {
      const agent = agentOf(hanging, says("ok"));
      const { chat } = watch(agent.connection);
      chat.send("a");
      chat.stop();
      chat.send("b");
      expect(agent.inputs[1]!.messages).toMatchObject([
        { role: "user", content: "a" },
        { role: "assistant", toolCalls: [{ id: "c" }] },
        { role: "tool", toolCallId: "c", error: expect.any(String) as string },
        { role: "user", content: "b" },
      ]);
    });

    it("by another message, does the same", () => {
      const agent = agentOf(hanging, says("ok"));
      const { chat } = watch(agent.connection);
      chat.send("a");
      chat.send("b");
      expect(chat.view).toMatchObject({ status: "finished", busy: false });
      expect(shown(chat.view.messages).map(([role]) => role)).toEqual([
        "user",
        "assistant",
        "tool",
        "user",
        "assistant",
      ]);
    });

    it("while a tool runs, aborts the tool", async () => {
      let signal: AbortSignal | undefined;
      const slow = tool({
        name: "slow",
        description: "",
        parameters: z.object({}),
        execute: (_args, running) => {
          signal = running.signal;
          return NEVER;
        },
      });
      const { chat } = watch(agentOf(calls("slow", {})).connection, { tools: [slow] });
      chat.send("a");
      await settled();
      expect([chat.view.busy, signal!.aborted]).toEqual([true, false]);
      chat.stop();
      expect([chat.view.busy, signal!.aborted]).toEqual([false, true]);
    });

    it("by the last subscriber that leaves, is cancelled too", () => {
      let left = 0;
      const { chat, subscription } = watch((input) =>
        run(input, (ctx) => {
          ctx.signal.addEventListener("abort", () => left++);
          return NEVER;
        }),
      );
      const other = chat.view$.subscribe();
      chat.send("a");
      subscription.unsubscribe();
      expect(left).toBe(0);
      other.unsubscribe();
      expect(left).toBe(1);
      expect(chat.view).toMatchObject({ status: "cancelled", busy: false });
    });
  });

  describe("with an interrupt", () => {
    const asks = (input: RunAgentInput): Observable<AGUIEvent> =>
      of(
        events.runStarted(input),
        events.runFinished({
          threadId: input.threadId,
          runId: input.runId,
          outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "approval" }] },
        }),
      );

    it("waits for the answer, refuses a message, and goes on with the answer", () => {
      const agent = agentOf(asks, says("thanks"));
      const { chat } = watch(agent.connection);
      chat.send("a");
      expect(chat.view).toMatchObject({ status: "interrupted", busy: false, interrupts: [{ id: "i" }] });
      expect(() => chat.send("b")).toThrow(
        expect.objectContaining({ code: "unanswered-interrupt", interruptId: "i" }) as Error,
      );
      expect(agent.inputs).toHaveLength(1);
      chat.resume([{ interruptId: "i", status: "resolved", payload: true }]);
      expect(chat.view).toMatchObject({ status: "finished", interrupts: [] });
      expect(agent.inputs[1]).toMatchObject({
        threadId: agent.inputs[0]!.threadId,
        resume: [{ interruptId: "i", status: "resolved", payload: true }],
        messages: [{ content: "a" }],
      });
    });

    it("runs the client's tools all the same, and sends their answers with the user's", async () => {
      const callsAndAsks = (input: RunAgentInput): Observable<AGUIEvent> =>
        concat(
          of(
            events.runStarted(input),
            events.toolCallStart({ toolCallId: "c", toolCallName: "open_panel" }),
            events.toolCallArgs({ toolCallId: "c", delta: '{"panel":"help"}' }),
            events.toolCallEnd({ toolCallId: "c" }),
          ),
          of(
            events.runFinished({
              threadId: input.threadId,
              runId: input.runId,
              outcome: { type: "interrupt", interrupts: [{ id: "i", reason: "approval" }] },
            }),
          ),
        );
      const agent = agentOf(callsAndAsks, says("thanks"));
      const { chat } = watch(agent.connection, { tools: [openPanel] });
      chat.send("a");
      await settled();
      expect(agent.inputs).toHaveLength(1);
      expect(chat.view).toMatchObject({ status: "interrupted", busy: false });
      expect(chat.view.toolCalls).toMatchObject([{ id: "c", result: "help is open" }]);
      chat.resume([{ interruptId: "i", status: "cancelled" }]);
      expect(agent.inputs[1]!.messages.at(-1)).toMatchObject({ role: "tool", content: "help is open" });
    });

    it.each([
      ["unanswered-interrupt", []],
      ["unknown-interrupt", [{ interruptId: "x", status: "resolved" as const }]],
    ])("refuses with %s and sends nothing", (code, answers) => {
      const agent = agentOf(asks);
      const { chat } = watch(agent.connection);
      chat.send("a");
      expect(() => chat.resume(answers)).toThrow(expect.objectContaining({ code }) as Error);
      expect(agent.inputs).toHaveLength(1);
    });

    it("refuses an answer that nobody waits for", () => {
      const { chat } = watch(says("ok"));
      expect(() => chat.resume([])).toThrow(expect.objectContaining({ code: "not-interrupted" }) as Error);
    });
  });

  it("begins another thread when it is reset, and stops what is at work", () => {
    let aborted = false;
    const agent = agentOf(
      (input) => run(input, (ctx) => (ctx.signal.addEventListener("abort", () => (aborted = true)), NEVER)),
      says("ok"),
    );
    const { chat, views } = watch(agent.connection, { threadId: "first" });
    chat.send("a");
    chat.reset({
      threadId: "second",
      messages: [{ id: "u", role: "user", content: "kept" }],
      state: { n: 1 },
    });
    expect(aborted).toBe(true);
    expect(views.at(-1)).toMatchObject({ threadId: "second", status: "idle", busy: false, state: { n: 1 } });
    chat.send("b");
    expect(agent.inputs[1]).toMatchObject({ threadId: "second", state: { n: 1 } });
    expect(shown(agent.inputs[1]!.messages)).toEqual([
      ["user", "kept"],
      ["user", "b"],
    ]);
  });

  it("asks the agent once somebody looks, when nobody did as the message was sent", () => {
    const agent = agentOf(says("ok"));
    const chat = conversation(agent.connection, { newId: ids() });
    chat.send("a");
    expect(agent.inputs).toHaveLength(0);
    expect(chat.view).toMatchObject({ busy: true, messages: [{ content: "a" }] });
    for (let i = 0; i < 2; i++) chat.view$.subscribe().unsubscribe();
    expect(agent.inputs).toHaveLength(1);
    expect(chat.view).toMatchObject({ status: "finished", busy: false });
  });

  it("takes a message that is sent while the first one is answered on subscription", () => {
    const agent = agentOf(says("ok"));
    const chat = conversation(agent.connection, { newId: ids() });
    chat.send("a");
    let sent = false;
    const subscription = chat.view$.subscribe((view) => {
      if (sent || view.busy) return;
      sent = true;
      chat.send("b");
    });
    expect(agent.inputs).toHaveLength(2);
    expect(chat.view).toMatchObject({ status: "finished", busy: false });
    subscription.unsubscribe();
  });

  it("keeps activity messages in the view and sends none", () => {
    const agent = agentOf((input) => run(input, (ctx) => ctx.activity("plan", { steps: 1 })), says("ok"));
    const { chat } = watch(agent.connection);
    chat.send("a");
    chat.send("b");
    expect(chat.view.messages.map(({ role }) => role)).toEqual(["user", "activity", "user", "assistant"]);
    expect(agent.inputs[1]!.messages.map(({ role }) => role)).toEqual(["user", "user"]);
  });

  it("lets a subscriber send from within a view, and shows all of them the same order", () => {
    const chat = conversation(agentOf(says("one")).connection, { newId: ids() });
    const seen: [first: number[], second: number[]] = [[], []];
    let sent = false;
    chat.view$.subscribe((view) => {
      seen[0].push(view.messages.length);
      if (sent || view.status !== "finished" || view.busy) return;
      sent = true;
      chat.send("b");
      chat.send("c");
    });
    chat.view$.subscribe((view) => seen[1].push(view.messages.length));
    chat.send("a");
    expect(shown(chat.view.messages)).toEqual([
      ["user", "a"],
      ["assistant", "one"],
      ["user", "b"],
      ["assistant", "one"],
      ["user", "c"],
      ["assistant", "one"],
    ]);
    expect(seen[1]).toEqual(seen[0]);
  });

  it("tells at once of tools that cannot be a client's", () => {
    expect(() => conversation(says("ok"), { tools: [openPanel, openPanel] })).toThrow(
      expect.objectContaining({ code: "duplicate-tool" }) as Error,
    );
  });

  it("does all this over HTTP", async () => {
    await using server = await serve((_request, response, body) => {
      const input = parseRunInput(body);
      const answered = input.messages.some(({ role }) => role === "tool");
      const turn = answered ? says("done") : calls("open_panel", { panel: "settings" });
      void sendResponse(toResponse(turn(input)), response);
    });
    const chat = conversation(connect({ url: server.url }), { tools: [openPanel] });
    const last = new Promise<ConversationView>((resolve) => {
      const subscription = chat.view$.subscribe((view) => {
        if (view.status === "idle" || view.busy) return;
        queueMicrotask(() => subscription.unsubscribe());
        resolve(view);
      });
    });
    chat.send("open settings");
    expect(shown((await last).messages)).toEqual([
      ["user", "open settings"],
      ["assistant", undefined],
      ["tool", "settings is open"],
      ["assistant", "done"],
    ]);
    expect(server.requests).toBe(2);
  });
});
