import { bedrock } from "./bedrock.js";
import { cohere } from "./cohere.js";
import { decode } from "./decode.fixture.js";
import { geminiInteractions } from "./gemini-interactions.js";
import { ollama } from "./ollama.js";

describe("ollama", () => {
  it("reads two calls of one name without ids as two, and finishes with tool calls though it says stop", () => {
    // BerriAI/litellm#37792
    const { calls, deltas } = decode(
      [
        {
          message: {
            tool_calls: [
              { function: { name: "f", arguments: { c: 1 } } },
              { function: { name: "f", arguments: { c: 2 } } },
            ],
          },
          done: false,
        },
        { message: { content: "" }, done: true, done_reason: "stop", prompt_eval_count: 3, eval_count: 4 },
      ],
      ollama(),
    );
    expect(calls.map((call) => call.arguments)).toEqual(['{"c":1}', '{"c":2}']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(deltas).toContainEqual({ type: "finish", reason: "tool-calls", raw: "stop" });
    expect(deltas).toContainEqual({
      type: "usage",
      usage: { provider: "ollama", inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    });
  });

  it("passes the reason length through", () => {
    const { deltas } = decode(
      [{ message: { content: "a" } }, { done: true, done_reason: "length" }],
      ollama(),
    );
    expect(deltas.at(-1)).toEqual({ type: "finish", reason: "length", raw: "length" });
  });

  it("reports a line with an error as one", () => {
    const { deltas } = decode([{ error: "model not found" } as never], ollama());
    expect(deltas).toEqual([
      { type: "error", error: expect.objectContaining({ message: "model not found", provider: "ollama" }) },
    ]);
  });
});

describe("bedrock", () => {
  const start = (index: number, id: string, extra = {}) => ({
    contentBlockStart: {
      contentBlockIndex: index,
      start: { toolUse: { toolUseId: id, name: "f", ...extra } },
    },
  });
  const input = (index: number, text: string) => ({
    contentBlockDelta: { contentBlockIndex: index, delta: { toolUse: { input: text } } },
  });
  const stop = (index: number) => ({ contentBlockStop: { contentBlockIndex: index } });
  const end = { messageStop: { stopReason: "tool_use" } };

  it("joins fragments by block, though the blocks interleave", () => {
    const { calls } = decode(
      [
        start(0, "a"),
        start(1, "b"),
        input(0, '{"c":'),
        input(1, '{"d":2'),
        input(0, "1}"),
        stop(0),
        input(1, "}"),
        stop(1),
        end,
      ],
      bedrock(),
    );
    expect(calls.map(({ id, args }) => [id, args])).toEqual([
      ["a", { c: 1 }],
      ["b", { d: 2 }],
    ]);
  });

  it("marks a server tool as run by the provider and gives its result", () => {
    const { calls, deltas } = decode(
      [
        start(0, "s", { type: "server_tool_use" }),
        input(0, "{}"),
        stop(0),
        { contentBlockStart: { contentBlockIndex: 1, start: { toolResult: { toolUseId: "s" } } } },
        { contentBlockDelta: { contentBlockIndex: 1, delta: { toolResult: [{ text: "found" }] } } },
        stop(1),
        { messageStop: { stopReason: "end_turn" } },
      ],
      bedrock(),
    );
    expect(calls).toEqual([expect.objectContaining({ id: "s", providerExecuted: true })]);
    expect(deltas).toContainEqual(
      expect.objectContaining({ type: "tool-result", id: "s", result: [{ text: "found" }] }),
    );
    expect(deltas.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  it("turns an exception among the events into an error that keeps its name, and cuts the open call", () => {
    const { calls, deltas } = decode(
      [start(0, "a"), input(0, '{"c":'), { throttlingException: { message: "Too many tokens" } } as never],
      bedrock(),
    );
    expect(calls.map(({ status }) => status)).toEqual(["incomplete"]);
    expect(deltas.at(-1)).toMatchObject({
      error: { code: "throttlingException", message: "Too many tokens", retryable: true },
    });
  });

  it("counts cached input into the total", () => {
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 13, cacheReadInputTokens: 10 };
    const { deltas } = decode(
      [{ contentBlockDelta: { delta: { text: "a" } } }, end, { metadata: { usage } }],
      bedrock(),
    );
    expect(deltas.at(-1)).toMatchObject({
      usage: { inputTokens: 11, cachedInputTokens: 10, totalTokens: 13 },
    });
  });
});

describe("cohere", () => {
  it("reads the SDK's camel case as it reads the wire", () => {
    const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };
    const wire = [
      { type: "tool-plan-delta", delta: { message: { tool_plan: "I will" } } },
      { type: "tool-call-start", index: 0, delta: { message: { tool_calls: call } } },
      { type: "tool-call-end", index: 0 },
      {
        type: "message-end",
        delta: { finish_reason: "TOOL_CALL", usage: { tokens: { input_tokens: 1, output_tokens: 2 } } },
      },
    ];
    const sdk = [
      { type: "tool-plan-delta", delta: { message: { toolPlan: "I will" } } },
      { type: "tool-call-start", index: 0, delta: { message: { toolCalls: call } } },
      { type: "tool-call-end", index: 0 },
      {
        type: "message-end",
        delta: { finishReason: "TOOL_CALL", usage: { tokens: { inputTokens: 1, outputTokens: 2 } } },
      },
    ];
    expect(decode(sdk, cohere()).deltas).toEqual(decode(wire, cohere()).deltas);
    expect(decode(wire, cohere()).reasoning).toBe("I will");
  });
});

describe("geminiInteractions", () => {
  it("gives the result of a search that Google ran under its call, and leaves it to nobody else", () => {
    const { calls, deltas } = decode(
      [
        {
          event_type: "step.start",
          index: 0,
          step: { type: "google_search_call", id: "s", arguments: { queries: ["x"] } },
        },
        { event_type: "step.stop", index: 0 },
        { event_type: "step.start", index: 1, step: { type: "google_search_result", call_id: "s" } },
        {
          event_type: "step.delta",
          index: 1,
          delta: { type: "google_search_result", result: [{ url: "u" }] },
        },
        { event_type: "step.stop", index: 1 },
        { event_type: "interaction.completed", interaction: { status: "completed" } },
      ],
      geminiInteractions(),
    );
    expect(calls).toEqual([
      expect.objectContaining({ name: "google_search", providerExecuted: true, args: { queries: ["x"] } }),
    ]);
    const started = deltas.find((delta) => delta.type === "tool-call-start");
    expect(deltas).toContainEqual({
      type: "tool-result",
      key: started!.key,
      id: "s",
      result: [{ url: "u" }],
    });
  });

  it("reports a failed interaction as an error", () => {
    const { deltas } = decode(
      [{ event_type: "error", error: { code: "resource_exhausted", message: "Quota" } }],
      geminiInteractions(),
    );
    expect(deltas).toEqual([
      { type: "error", error: expect.objectContaining({ code: "resource_exhausted" }) },
    ]);
  });
});
