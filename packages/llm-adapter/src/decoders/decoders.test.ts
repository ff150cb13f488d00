import { describeDecoder } from "./describe-decoder.fixture.js";
import {
  aiSdk,
  anthropic,
  bedrock,
  cohere,
  gemini,
  geminiInteractions,
  langchain,
  mistral,
  ollama,
  openaiChat,
  openaiResponses,
} from "./index.js";

const choice = (delta: object, finish_reason: string | null = null) => ({
  id: "x",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
});

describeDecoder({
  name: "openaiChat",
  decoder: openaiChat,
  call: (id) => [
    choice({
      role: "assistant",
      tool_calls: [{ index: 0, id, type: "function", function: { name: "f", arguments: "" } }],
    }),
    choice({ tool_calls: [{ index: 0, function: { arguments: '{"a":1}' } }] }),
    choice({}, "tool_calls"),
  ],
  text: [choice({ content: "hel" }), choice({ content: "lo" }), choice({}, "stop")],
  failure: { error: { message: "no", type: "server_error", code: "boom" } },
  strange: { ...choice({ hologram: { a: 1 } }), novelty: 1 },
});

describeDecoder({
  name: "mistral",
  decoder: mistral,
  call: (id) => [
    {
      data: {
        id: "x",
        model: "m",
        choices: [
          {
            index: 0,
            delta: { toolCalls: [{ id, index: 0, function: { name: "f", arguments: { a: 1 } } }] },
            finishReason: null,
          },
        ],
      },
    },
    choice({}, "tool_calls"),
  ],
  text: [choice({ content: [{ type: "text", text: "hel" }] }), choice({ content: "lo" }), choice({}, "stop")],
  failure: { object: "error", message: "no", type: "invalid_request", code: 1 },
  strange: choice({ content: [{ type: "hologram" }] }),
});

const block = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const blockDelta = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const stopReason = (stop_reason: string) => ({
  type: "message_delta",
  delta: { stop_reason },
  usage: { output_tokens: 1 },
});

describeDecoder({
  name: "anthropic",
  decoder: anthropic,
  call: (id) => [
    block(0, { type: "tool_use", id, name: "f", input: {} }),
    blockDelta(0, { type: "input_json_delta", partial_json: '{"a":' }),
    blockDelta(0, { type: "input_json_delta", partial_json: "1}" }),
    { type: "content_block_stop", index: 0 },
    stopReason("tool_use"),
  ],
  text: [
    { type: "message_start", message: { id: "m", content: [], usage: { input_tokens: 1 } } },
    block(0, { type: "text", text: "" }),
    { type: "ping" },
    blockDelta(0, { type: "text_delta", text: "hello" }),
    { type: "content_block_stop", index: 0 },
    stopReason("end_turn"),
  ],
  failure: { type: "error", error: { type: "overloaded_error", message: "no" } },
  strange: { type: "message_hologram" },
});

const part = (...parts: object[]) => ({
  candidates: [{ content: { role: "model", parts }, index: 0 }],
  responseId: "x",
});

describeDecoder({
  name: "gemini",
  decoder: gemini,
  call: (id) => [
    part({ functionCall: { id, name: "f", args: { a: 1 } } }),
    { candidates: [{ finishReason: "STOP" }] },
  ],
  text: [part({ text: "hel" }), part({ text: "lo" }), { candidates: [{ finishReason: "STOP" }] }],
  failure: { error: { code: 500, message: "no", status: "INTERNAL" } },
  strange: part({ hologram: {} }),
});

const item = (fields: object) => ({ type: "function_call", name: "f", ...fields });
const completed = { type: "response.completed", response: { status: "completed", output: [] } };

describeDecoder({
  name: "openaiResponses",
  decoder: openaiResponses,
  call: (call_id) => [
    { type: "response.created", response: { id: "r", model: "m" } },
    { type: "response.output_item.added", output_index: 0, item: item({ id: "fc", call_id, arguments: "" }) },
    { type: "response.function_call_arguments.delta", output_index: 0, item_id: "fc", delta: '{"a":1}' },
    { type: "response.function_call_arguments.done", output_index: 0, item_id: "fc", arguments: '{"a":1}' },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: item({ id: "fc", call_id, arguments: '{"a":1}' }),
    },
    completed,
  ],
  text: [
    { type: "response.created", response: { id: "r", model: "m" } },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "m", content: [] } },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "hello" },
    { type: "response.output_item.done", output_index: 0, item: { type: "message", id: "m", content: [] } },
    completed,
  ],
  failure: { type: "error", code: "server_error", message: "no", param: null },
  strange: { type: "response.hologram.delta" },
});

describeDecoder({
  name: "bedrock",
  decoder: bedrock,
  call: (toolUseId) => [
    { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId, name: "f" } } } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"a":1}' } } } },
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason: "tool_use" } },
  ],
  text: [
    { messageStart: { role: "assistant" } },
    { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "hello" } } },
    { contentBlockStop: { contentBlockIndex: 0 } },
    { messageStop: { stopReason: "end_turn" } },
  ],
  failure: { throttlingException: { message: "no" } },
  strange: { hologram: {} },
});

describeDecoder({
  name: "cohere",
  decoder: cohere,
  call: (id) => [
    {
      type: "tool-call-start",
      index: 0,
      delta: { message: { tool_calls: { id, type: "function", function: { name: "f", arguments: "" } } } },
    },
    {
      type: "tool-call-delta",
      index: 0,
      delta: { message: { tool_calls: { function: { arguments: '{"a":1}' } } } },
    },
    { type: "tool-call-end", index: 0 },
    { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
  ],
  text: [
    { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
    { type: "content-delta", index: 0, delta: { message: { content: { text: "hello" } } } },
    { type: "content-end", index: 0 },
    { type: "message-end", delta: { finish_reason: "COMPLETE" } },
  ],
  failure: { type: "message-end", delta: { finish_reason: "ERROR", error: "no" } },
  strange: { type: "hologram" },
});

describeDecoder({
  name: "ollama",
  decoder: ollama,
  call: (id) => [
    {
      message: {
        role: "assistant",
        content: "",
        tool_calls: [{ id, function: { name: "f", arguments: { a: 1 } } }],
      },
      done: false,
    },
    { message: { role: "assistant", content: "" }, done: true, done_reason: "stop" },
  ],
  text: [
    { message: { role: "assistant", content: "hello" }, done: false },
    { message: { role: "assistant", content: "" }, done: true, done_reason: "stop" },
  ],
  failure: { error: "no" },
  strange: { hologram: 1 },
});

describeDecoder({
  name: "geminiInteractions",
  decoder: geminiInteractions,
  call: (id) => [
    { event_type: "step.start", index: 0, step: { type: "function_call", id, name: "f" } },
    { event_type: "step.delta", index: 0, delta: { type: "arguments_delta", arguments: '{"a":1}' } },
    { event_type: "step.stop", index: 0 },
    { event_type: "interaction.completed", interaction: { status: "requires_action" } },
  ],
  text: [
    { event_type: "step.start", index: 0, step: { type: "model_output" } },
    { event_type: "step.delta", index: 0, delta: { type: "text", text: "hello" } },
    { event_type: "step.stop", index: 0 },
    { event_type: "interaction.completed", interaction: { status: "completed" } },
  ],
  failure: { event_type: "error", error: { code: "boom", message: "no" } },
  strange: { event_type: "hologram" },
});

describeDecoder({
  name: "aiSdk",
  decoder: aiSdk,
  call: (id) => [
    { type: "tool-input-start", id, toolName: "f" },
    { type: "tool-input-delta", id, delta: '{"a":1}' },
    { type: "tool-input-end", id },
    { type: "tool-call", toolCallId: id, toolName: "f", input: { a: 1 } },
    { type: "finish", finishReason: "tool-calls" },
  ],
  text: [
    { type: "text-start", id: "0" },
    { type: "text-delta", id: "0", text: "hello" },
    { type: "text-end", id: "0" },
    { type: "finish", finishReason: "stop" },
  ],
  failure: { type: "error", error: new Error("no") },
  strange: { type: "hologram" },
});

describeDecoder({
  name: "langchain",
  decoder: langchain,
  call: (id) => [
    { content: "", tool_call_chunks: [{ type: "tool_call_chunk", id, name: "f", args: "", index: 0 }] },
    { content: "", tool_call_chunks: [{ type: "tool_call_chunk", args: '{"a":1}', index: 0 }] },
    { content: "", response_metadata: { finish_reason: "tool_calls" } },
  ],
  text: [
    { content: "hel" },
    { content: "lo" },
    { content: "", response_metadata: { finish_reason: "stop" } },
  ],
  failure: { event: "on_chain_error", data: { error: "no" } },
  strange: { content: [{ type: "hologram" }] },
});
