import { AIMessage, AIMessageChunk, ToolMessage, type AIMessageChunkFields } from "@langchain/core/messages";
import { decode } from "./decode.fixture.js";
import { langchain } from "./langchain.js";

const chunk = (fields: AIMessageChunkFields) => new AIMessageChunk(fields);
const part = (fields: object) =>
  chunk({ content: "", tool_call_chunks: [{ type: "tool_call_chunk", ...fields }] });
const end = chunk({ content: "", response_metadata: { finish_reason: "tool_calls" } });

describe("langchain", () => {
  it("keeps the arguments of two calls apart when no terminator stands between them", () => {
    // ag-ui-protocol/ag-ui#1776
    const { calls } = decode(
      [
        part({ id: "A", name: "search", args: "", index: 0 }),
        part({ args: '{"q":1}', index: 0 }),
        part({ id: "B", name: "search", args: "", index: 1 }),
        part({ args: '{"q":2}', index: 1 }),
        end,
      ],
      langchain(),
    );
    expect(calls.map(({ id, args }) => [id, args])).toEqual([
      ["A", { q: 1 }],
      ["B", { q: 2 }],
    ]);
  });

  it("reads stream events, and adds nothing for the whole message at the end", () => {
    const event = (name: string, data: object) => ({ event: name, run_id: "r1", name: "model", data });
    const { calls, deltas, text } = decode(
      [
        event("on_chat_model_start", {}),
        event("on_chat_model_stream", { chunk: chunk({ content: "Hi" }) }),
        event("on_chat_model_stream", { chunk: part({ id: "A", name: "f", args: "{}", index: 0 }) }),
        event("on_chat_model_end", {
          output: new AIMessage({ content: "Hi", tool_calls: [{ id: "A", name: "f", args: {} }] }),
        }),
        event("on_tool_end", { output: new ToolMessage({ content: "ok", tool_call_id: "A" }) }),
      ],
      langchain(),
    );
    expect(calls).toHaveLength(1);
    expect(text).toBe("Hi");
    const started = deltas.find((delta) => delta.type === "tool-call-start");
    expect(deltas).toContainEqual({ type: "tool-result", key: started!.key, id: "A", result: "ok" });
  });

  it("reads a whole message, and a chunk that came with its metadata", () => {
    const message = new AIMessage({
      content: "Done",
      tool_calls: [{ id: "A", name: "f", args: { a: 1 } }],
      response_metadata: { stop_reason: "tool_use" },
    });
    const { calls, text } = decode([[message, { langgraph_node: "agent" }]], langchain());
    expect(calls.map((call) => call.arguments)).toEqual(['{"a":1}']);
    expect(text).toBe("Done");
  });

  it("adds the usage of chunks up", () => {
    const usage = (input_tokens: number, output_tokens: number) =>
      chunk({
        content: "",
        usage_metadata: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens } as never,
      });
    const { deltas } = decode([chunk({ content: "x" }), usage(5, 0), usage(0, 9), end], langchain());
    const last = deltas.filter((delta) => delta.type === "usage").at(-1);
    expect(last).toMatchObject({ usage: { inputTokens: 5, outputTokens: 9, totalTokens: 14 } });
  });

  it("reads thinking blocks with their signature", () => {
    const { reasoning, deltas } = decode(
      [
        chunk({ content: [{ type: "thinking", thinking: "Hm", index: 0 }] }),
        chunk({ content: [{ type: "thinking", signature: "sig", index: 0 }] }),
        chunk({ content: "", response_metadata: { stop_reason: "end_turn" } }),
      ],
      langchain(),
    );
    expect(reasoning).toBe("Hm");
    expect(deltas).toContainEqual(
      expect.objectContaining({ encryptedValue: "sig", encryptedValueType: "anthropic.signature" }),
    );
  });
});
