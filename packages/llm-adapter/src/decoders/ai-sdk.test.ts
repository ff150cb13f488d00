import { jsonSchema, simulateReadableStream, streamText, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { lastValueFrom, toArray } from "rxjs";
import { fromAsyncIterable } from "@agrx/core";
import { aiSdk } from "./ai-sdk.js";
import { decode } from "./decode.fixture.js";

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
};
const callParts = [
  { type: "stream-start" as const, warnings: [] },
  { type: "tool-input-start" as const, id: "c1", toolName: "roll_dice" },
  { type: "tool-input-delta" as const, id: "c1", delta: '{"sid' },
  { type: "tool-input-delta" as const, id: "c1", delta: 'es":6}' },
  { type: "tool-input-end" as const, id: "c1" },
  { type: "tool-call" as const, toolCallId: "c1", toolName: "roll_dice", input: '{"sides":6}' },
  { type: "finish" as const, finishReason: { unified: "tool-calls" as const, raw: "tool_calls" }, usage },
];
const rollDice = tool({
  inputSchema: jsonSchema<{ sides: number }>({ type: "object", properties: { sides: { type: "number" } } }),
  execute: () => ({ value: 4 }),
});

const deltasOf = (stream: AsyncIterable<{ type: string }>) =>
  lastValueFrom(fromAsyncIterable(stream).pipe(aiSdk(), toArray()));

describe("aiSdk", () => {
  it("reads fullStream of streamText: one call, its result, usage and finish", async () => {
    const { fullStream } = streamText({
      model: new MockLanguageModelV3({
        doStream: async () => ({ stream: simulateReadableStream({ chunks: callParts }) }),
      }),
      prompt: "Roll",
      tools: { roll_dice: rollDice },
    });
    const { calls, deltas } = decode(
      await lastValueFrom(fromAsyncIterable(fullStream).pipe(toArray())),
      aiSdk(),
    );
    expect(calls).toEqual([
      expect.objectContaining({
        id: "c1",
        name: "roll_dice",
        arguments: '{"sides":6}',
        args: { sides: 6 },
        status: "complete",
      }),
    ]);
    const kinds = deltas.map(({ type }) => type);
    expect(kinds.filter((type) => type === "tool-call-start")).toHaveLength(1);
    expect(deltas).toContainEqual(
      expect.objectContaining({ type: "tool-result", id: "c1", result: { value: 4 } }),
    );
    expect(deltas).toContainEqual({ type: "finish", reason: "tool-calls", raw: "tool_calls" });
    expect(deltas).toContainEqual(
      expect.objectContaining({
        type: "usage",
        usage: expect.objectContaining({ inputTokens: 3, outputTokens: 7 }),
      }),
    );
  });

  it("reads the UI message stream of the same answer to the same call", async () => {
    const result = streamText({
      model: new MockLanguageModelV3({
        doStream: async () => ({ stream: simulateReadableStream({ chunks: callParts }) }),
      }),
      prompt: "Roll",
      tools: { roll_dice: rollDice },
    });
    const deltas = await deltasOf(result.toUIMessageStream());
    const fragments = deltas.map((delta) => (delta.type === "tool-call-fragment" ? delta.text : "")).join("");
    expect(fragments).toBe('{"sides":6}');
    expect(deltas).toContainEqual(
      expect.objectContaining({ type: "tool-result", id: "c1", result: { value: 4 } }),
    );
  });

  it("reads a language model's own parts, and a tool-call that nothing announced", () => {
    const { calls } = decode(
      [
        { type: "tool-call", toolCallId: "c1", toolName: "now", input: "{}" },
        { type: "tool-call", toolCallId: "c2", toolName: "add", input: { a: 1 } },
        { type: "finish", finishReason: { unified: "tool-calls", raw: "x" }, usage },
      ],
      aiSdk(),
    );
    expect(calls.map((call) => call.arguments)).toEqual(["{}", '{"a":1}']);
  });

  it("keeps a call that the stream cut from claiming to be complete", () => {
    const { calls, deltas } = decode(
      [
        { type: "tool-input-start", id: "c1", toolName: "f" },
        { type: "tool-input-delta", id: "c1", delta: '{"a":' },
        { type: "abort", reason: "user" },
      ],
      aiSdk(),
    );
    expect(calls.map(({ status }) => status)).toEqual(["incomplete"]);
    expect(deltas.at(-1)).toMatchObject({ type: "error", error: { code: "aborted", retryable: false } });
  });

  it("tells the texts of two steps apart though they share an id", () => {
    const { deltas } = decode(
      [
        { type: "start-step" },
        { type: "text-delta", id: "0", text: "a" },
        { type: "start-step" },
        { type: "text-delta", id: "0", text: "b" },
        { type: "finish", finishReason: "stop" },
      ],
      aiSdk(),
    );
    const keys = deltas.flatMap((delta) => (delta.type === "text" ? [delta.key] : []));
    expect(new Set(keys).size).toBe(2);
  });
});
