import { events, scanMessages, type AGUIEvent, type Message, type RunScope } from "@agrx/core";
import { verify } from "@agrx/verify";
import { concat, from, lastValueFrom, of, tap, type OperatorFunction } from "rxjs";
import {
  anthropic,
  bedrock,
  cohere,
  gemini,
  mistral,
  openaiChat,
  openaiResponses,
} from "../decoders/index.js";
import type { Delta } from "../delta.js";
import { toEvents, type ToEventsOptions } from "../to-events.js";
import {
  toAnthropic,
  toBedrock,
  toCohere,
  toGemini,
  toMistral,
  toOpenAI,
  toOpenAIResponses,
} from "./index.js";

const user: Message = { id: "u", role: "user", content: "Hi" };

/** The messages that a client holds after a model's answer: decoded, streamed, and built again. */
async function historyOf(
  chunks: readonly object[],
  decoder: OperatorFunction<never, Delta>,
  options?: ToEventsOptions,
) {
  const seen: AGUIEvent[] = [];
  const run$ = concat(
    of(events.runStarted({ threadId: "t", runId: "r" })),
    from(chunks as never[]).pipe(decoder, toEvents(options)),
    of(events.runFinished({ threadId: "t", runId: "r" })),
  );
  const messages = await lastValueFrom(
    run$.pipe(
      verify(),
      tap((event) => seen.push(event)),
      scanMessages([user]),
    ),
  );
  return { messages, seen };
}

/** The same messages as AG-UI 1.0 carries them: without the types of encrypted values. */
function untyped(messages: readonly Message[]): Message[] {
  return JSON.parse(
    JSON.stringify(messages, (key, value: unknown) => (key === "encryptedValueType" ? undefined : value)),
  ) as Message[];
}

const block = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const blockDelta = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const blockStop = (index: number) => ({ type: "content_block_stop", index });
const stopReason = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason } });
const thinking = (index: number, words: string, signature: string) => [
  block(index, { type: "thinking", thinking: "" }),
  blockDelta(index, { type: "thinking_delta", thinking: words }),
  blockDelta(index, { type: "signature_delta", signature }),
  blockStop(index),
];
const toolUse = (index: number, id: string) => [
  block(index, { type: "tool_use", id, name: "f", input: {} }),
  blockStop(index),
];

describe("an answer goes back to the provider that made it", () => {
  const cases: readonly {
    readonly what: string;
    readonly chunks: readonly object[];
    readonly decoder: OperatorFunction<never, Delta>;
    readonly echo: (messages: Message[]) => unknown;
    readonly right: unknown;
  }[] = [
    {
      what: "Anthropic's thinking with its signature, and redacted thinking, before text and call",
      decoder: anthropic(),
      chunks: [
        ...thinking(0, "Hm", "sig-1"),
        block(1, { type: "redacted_thinking", data: "sealed" }),
        blockStop(1),
        block(2, { type: "text", text: "Wait" }),
        blockStop(2),
        ...toolUse(3, "toolu_1"),
        stopReason("tool_use"),
      ],
      echo: (messages) => toAnthropic({ messages }).messages[1]?.content,
      right: [
        { type: "thinking", thinking: "Hm", signature: "sig-1" },
        { type: "redacted_thinking", data: "sealed" },
        { type: "text", text: "Wait" },
        { type: "tool_use", id: "toolu_1", name: "f", input: {} },
      ],
    },
    {
      what: "Anthropic's thinking between text and call, in its place",
      decoder: anthropic(),
      chunks: [
        block(0, { type: "text", text: "First" }),
        blockStop(0),
        ...thinking(1, "Hm", "sig-2"),
        ...toolUse(2, "toolu_1"),
        stopReason("tool_use"),
      ],
      echo: (messages) => toAnthropic({ messages }).messages[1]?.content,
      right: [
        { type: "text", text: "First" },
        { type: "thinking", thinking: "Hm", signature: "sig-2" },
        { type: "tool_use", id: "toolu_1", name: "f", input: {} },
      ],
    },
    {
      what: "Bedrock's reasoning with its signature, and redacted content as bytes",
      decoder: bedrock(),
      chunks: [
        { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { text: "Hm" } } } },
        { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { signature: "sig" } } } },
        { contentBlockStop: { contentBlockIndex: 0 } },
        {
          contentBlockDelta: {
            contentBlockIndex: 1,
            delta: { reasoningContent: { redactedContent: "AQI=" } },
          },
        },
        { contentBlockStop: { contentBlockIndex: 1 } },
        { contentBlockDelta: { contentBlockIndex: 2, delta: { text: "Hello" } } },
        { messageStop: { stopReason: "end_turn" } },
      ],
      echo: (messages) => toBedrock({ messages }).messages[1]?.content,
      right: [
        { reasoningContent: { reasoningText: { text: "Hm", signature: "sig" } } },
        { reasoningContent: { redactedContent: Uint8Array.of(1, 2) } },
        { text: "Hello" },
      ],
    },
    {
      what: "Gemini's signature on the first of two parallel calls, and none on the second",
      decoder: gemini(),
      chunks: [
        { candidates: [{ content: { parts: [{ text: "Hm", thought: true }] } }] },
        { candidates: [{ content: { parts: [{ functionCall: { name: "f" }, thoughtSignature: "sig" }] } }] },
        { candidates: [{ content: { parts: [{ functionCall: { name: "g" } }] }, finishReason: "STOP" }] },
      ],
      echo: (messages) => toGemini({ messages }).contents[1]?.parts,
      right: [
        { functionCall: { name: "f", args: {} }, thoughtSignature: "sig" },
        { functionCall: { name: "g", args: {} } },
      ],
    },
    {
      what: "Gemini's signature of a text, though it came with an empty part behind it",
      decoder: gemini(),
      chunks: [
        { candidates: [{ content: { parts: [{ text: "Hello" }] } }] },
        {
          candidates: [{ content: { parts: [{ text: "", thoughtSignature: "sig" }] }, finishReason: "STOP" }],
        },
      ],
      echo: (messages) => toGemini({ messages }).contents[1]?.parts,
      right: [{ text: "Hello", thoughtSignature: "sig" }],
    },
    {
      what: "Mistral's signed thinking, as a part of the content",
      decoder: mistral(),
      chunks: [
        {
          choices: [
            {
              index: 0,
              delta: {
                content: [{ type: "thinking", thinking: [{ type: "text", text: "Hm" }], signature: "sig" }],
              },
            },
          ],
        },
        { choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: "stop" }] },
      ],
      echo: (messages) => toMistral({ messages }).messages[1],
      right: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: [{ type: "text", text: "Hm" }], signature: "sig" },
          { type: "text", text: "Hello" },
        ],
      },
    },
    {
      what: "OpenAI's encrypted reasoning as one item with its own id, all parts of its summary in it",
      decoder: openaiResponses(),
      chunks: [
        { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "rs_1" } },
        { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "One" },
        { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 1, delta: "Two" },
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "reasoning", id: "rs_1", encrypted_content: "sealed" },
        },
        {
          type: "response.output_item.done",
          output_index: 1,
          item: { type: "function_call", id: "fc_1", call_id: "call_1", name: "f", arguments: "{}" },
        },
        { type: "response.completed", response: { status: "completed" } },
      ],
      echo: (messages) => toOpenAIResponses({ messages }).input.slice(1, 3),
      right: [
        {
          type: "reasoning",
          id: "rs_1",
          summary: [
            { type: "summary_text", text: "One" },
            { type: "summary_text", text: "Two" },
          ],
          encrypted_content: "sealed",
        },
        { type: "function_call", call_id: "call_1", name: "f", arguments: "{}" },
      ],
    },
    {
      what: "OpenAI's encrypted reasoning that says nothing else",
      decoder: openaiResponses(),
      chunks: [
        {
          type: "response.output_item.done",
          output_index: 0,
          item: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" },
        },
        { type: "response.output_text.delta", output_index: 1, delta: "Hello" },
        { type: "response.completed", response: { status: "completed" } },
      ],
      echo: (messages) => toOpenAIResponses({ messages }).input[1],
      right: { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" },
    },
    {
      what: "OpenRouter's reasoning details, each with what it had",
      decoder: openaiChat(),
      chunks: [
        {
          reasoning: "Hm",
          reasoning_details: [
            { type: "reasoning.text", text: "Hm", format: "anthropic-claude-v1", index: 0 },
          ],
        },
        {
          reasoning_details: [
            { type: "reasoning.text", signature: "sig", format: "anthropic-claude-v1", index: 0 },
            { type: "reasoning.encrypted", data: "sealed", id: "e1", index: 1 },
          ],
        },
        { content: "Hello" },
      ].map((delta) => ({
        choices: [{ index: 0, delta, finish_reason: "content" in delta ? "stop" : null }],
      })),
      echo: (messages) => toOpenAI({ messages }, { reasoning: "reasoning_details" }).messages[1],
      right: {
        role: "assistant",
        content: "Hello",
        reasoning_details: [
          { type: "reasoning.text", text: "Hm", format: "anthropic-claude-v1", index: 0, signature: "sig" },
          { type: "reasoning.encrypted", id: "e1", index: 1, data: "sealed" },
        ],
      },
    },
  ];

  it.each(cases)("$what", async ({ chunks, decoder, echo, right }) => {
    const { messages } = await historyOf(chunks, decoder);
    expect(echo([...messages])).toEqual(right);
    expect(echo(untyped(messages))).toEqual(right);
  });

  it("DeepSeek's reasoning in its own field, when it is asked for, and OpenAI's never", async () => {
    const { messages } = await historyOf(
      [
        { choices: [{ index: 0, delta: { reasoning_content: "Hm" } }] },
        { choices: [{ index: 0, delta: { content: "Hello" }, finish_reason: "stop" }] },
      ],
      openaiChat(),
    );
    const asked = toOpenAI({ messages }, { reasoning: "reasoning_content" }).messages[1];
    expect(asked).toEqual({ role: "assistant", content: "Hello", reasoning_content: "Hm" });
    expect(toOpenAI({ messages }).messages[1]).toEqual({ role: "assistant", content: "Hello" });
  });

  it("a signature that came through chat completions, on its call", async () => {
    const call = { index: 0, id: "c1", function: { name: "f", arguments: "{}" } };
    const extra_content = { google: { thought_signature: "sig" } };
    const { messages } = await historyOf(
      [
        {
          choices: [
            { index: 0, delta: { tool_calls: [{ ...call, extra_content }] }, finish_reason: "tool_calls" },
          ],
        },
      ],
      openaiChat(),
    );
    expect(toOpenAI({ messages }).messages[1]).toMatchObject({ tool_calls: [{ id: "c1", extra_content }] });
    // OpenAI's own API refuses the field, so a value of no type is not taken for one.
    expect(JSON.stringify(toOpenAI({ messages: untyped(messages) }))).not.toContain("sig");
    expect(toGemini({ messages }).contents[1]?.parts[0]).toMatchObject({ thoughtSignature: "sig" });
  });

  it("Cohere's plan as the plan of its calls", async () => {
    const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
    const { messages } = await historyOf(
      [
        { type: "tool-plan-delta", delta: { message: { tool_plan: "I will " } } },
        { type: "tool-plan-delta", delta: { message: { tool_plan: "look." } } },
        { type: "tool-call-start", index: 0, delta: { message: { tool_calls: call } } },
        { type: "tool-call-end", index: 0 },
        { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
      ],
      cohere(),
    );
    expect(toCohere({ messages }).messages[1]).toEqual({
      role: "assistant",
      toolPlan: "I will look.",
      toolCalls: [call],
    });
  });

  it("the phase of OpenAI's messages", async () => {
    const { messages } = await historyOf(
      [
        {
          type: "response.output_item.added",
          output_index: 0,
          item: { type: "message", id: "msg_1", phase: "commentary" },
        },
        { type: "response.output_text.delta", output_index: 0, delta: "Looking" },
        { type: "response.completed", response: { status: "completed" } },
      ],
      openaiResponses(),
    );
    expect(toOpenAIResponses({ messages }).input[1]).toEqual({
      role: "assistant",
      content: "Looking",
      phase: "commentary",
    });
  });
});

describe("calls that the provider ran itself", () => {
  const search = [
    block(0, { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} }),
    blockDelta(0, { type: "input_json_delta", partial_json: '{"query":"x"}' }),
    blockStop(0),
  ];
  const found = { type: "web_search_tool_result", tool_use_id: "srv_1", content: [{ url: "u" }] };
  const use = { type: "server_tool_use", id: "srv_1", name: "web_search", input: { query: "x" } };

  it("go back to Anthropic with their results, before what they led to", async () => {
    const { messages } = await historyOf(
      [
        ...search,
        block(1, found),
        blockStop(1),
        block(2, { type: "text", text: "Found" }),
        blockStop(2),
        ...toolUse(3, "toolu_1"),
        stopReason("tool_use"),
      ],
      anthropic(),
    );
    expect(toAnthropic({ messages }).messages[1]?.content).toEqual([
      use,
      found,
      { type: "text", text: "Found" },
      { type: "tool_use", id: "toolu_1", name: "f", input: {} },
    ]);
  });

  it("go back to Anthropic without a result when the answer paused, so that it goes on", async () => {
    const { messages } = await historyOf([...search, stopReason("pause_turn")], anthropic());
    expect(toAnthropic({ messages }).messages.at(-1)).toEqual({ role: "assistant", content: [use] });
  });

  it("go to no other provider as a client's call", async () => {
    const { messages } = await historyOf(
      [
        ...search,
        block(1, found),
        blockStop(1),
        block(2, { type: "text", text: "Found" }),
        stopReason("end_turn"),
      ],
      anthropic(),
    );
    const requests = [
      toOpenAI({ messages }),
      toOpenAIResponses({ messages }),
      toGemini({ messages }),
      toBedrock({ messages }),
      toMistral({ messages }),
      toCohere({ messages }),
    ];
    for (const request of requests) {
      expect(JSON.stringify(request)).toContain("Found");
      expect(JSON.stringify(request)).not.toContain("web_search");
    }
  });
});

describe("the messages of an answer", () => {
  const call = (index: number, id: string) => ({ index, id, function: { name: "f", arguments: "{}" } });
  const choice = (delta: object, finish_reason?: string) => ({
    choices: [{ index: 0, delta, finish_reason }],
  });

  it("hold parallel calls in one message, also without a text", async () => {
    const { messages } = await historyOf(
      [
        choice({ tool_calls: [call(0, "a")] }),
        choice({ tool_calls: [call(1, "b")] }),
        choice({}, "tool_calls"),
      ],
      openaiChat(),
    );
    expect(messages).toHaveLength(2);
    expect(toOpenAI({ messages }).messages[1]).toMatchObject({ tool_calls: [{ id: "a" }, { id: "b" }] });
  });

  it("hold calls in the message of the text before them", async () => {
    // ag-ui-protocol/ag-ui#1610
    const { messages } = await historyOf(
      [choice({ content: "Both." }), choice({ tool_calls: [call(0, "a"), call(1, "b")] }, "tool_calls")],
      openaiChat(),
    );
    expect(messages).toHaveLength(2);
    expect(messages[1]).toMatchObject({ content: "Both.", toolCalls: [{ id: "a" }, { id: "b" }] });
  });

  it("keep the provider's id of a call that the run had to rename, and it goes back", async () => {
    let made = 0;
    const context = {
      nextMessageId: () => `m-${++made}`,
      nextToolCallId: () => `t-${++made}`,
      claimToolCallId: (id: string) => `${id}-2`,
      addUsage: () => undefined,
    } as unknown as RunScope;
    const { messages, seen } = await historyOf(
      [choice({ tool_calls: [call(0, "functions.f:0")] }, "tool_calls")],
      openaiChat(),
      { context },
    );
    expect(seen).toContainEqual(expect.objectContaining({ toolCallId: "functions.f:0-2" }));
    expect(toOpenAI({ messages }).messages.slice(1)).toMatchObject([
      { tool_calls: [{ id: "functions.f:0" }] },
      { tool_call_id: "functions.f:0" },
    ]);
  });
});
