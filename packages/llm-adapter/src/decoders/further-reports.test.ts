import { EventType, events, type AGUIEvent } from "@agrx/core";
import { verify } from "@agrx/verify";
import { concat, from, of, type OperatorFunction } from "rxjs";
import type { Delta, FinishReason } from "../delta.js";
import { isProviderError } from "../provider-error.js";
import { toChunks } from "../to-chunks.js";
import { toEvents } from "../to-events.js";
import { decode } from "./decode.fixture.js";
import {
  aiSdk,
  anthropic,
  bedrock,
  cohere,
  gemini,
  langchain,
  ollama,
  openaiChat,
  openaiResponses,
} from "./index.js";

/** Public reports of streams that other readers got wrong, beside the ones in reported-bugs.test.ts. */
interface Report {
  /** What is right, as a sentence. */
  readonly right: string;
  /** Where it was reported. */
  readonly source: string;
  readonly decoder: OperatorFunction<never, Delta>;
  readonly chunks: readonly unknown[];
  /** Name, arguments and, when it is not "complete", status of each call that is not the provider's own. */
  readonly calls?: readonly (readonly [name: string, args: string, status?: string])[];
  /** Ids, where the provider gave them. */
  readonly ids?: readonly string[];
  /** Names of the calls that the provider ran. */
  readonly hosted?: readonly string[];
  readonly text?: string;
  readonly reasoning?: string;
  readonly finish?: FinishReason;
  /** How many text messages there are. */
  readonly messages?: number;
  /** The code of the error that the events end in. */
  readonly error?: string;
}

function eventsOf({ decoder, chunks }: Report) {
  const seen: AGUIEvent[] = [];
  let error: unknown;
  concat(
    of(events.runStarted({ threadId: "t", runId: "r" })),
    from(chunks as never[]).pipe(decoder, toEvents()),
    of(events.runFinished({ threadId: "t", runId: "r" })),
  )
    .pipe(verify())
    .subscribe({ next: (event) => seen.push(event), error: (cause: unknown) => (error = cause) });
  return { seen, error };
}

const choice = (delta: object | null, finish_reason?: string, more: object = {}) => ({
  choices: [{ index: 0, delta, ...(finish_reason && { finish_reason }), ...more }],
});
const part = (...tool_calls: object[]) => choice({ tool_calls });
const finish = (reason: string) => choice({}, reason);

const item = (fields: object) => ({ type: "function_call", name: "f", ...fields });
const added = (given: object, output_index?: number) => ({
  type: "response.output_item.added",
  ...(output_index !== undefined && { output_index }),
  item: given,
});
const done = (given: object, output_index?: number) => ({
  ...added(given, output_index),
  type: "response.output_item.done",
});
const argumentsDelta = (delta: string, output_index: number) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta,
});
const completed = (...output: object[]) => ({
  type: "response.completed",
  response: { status: "completed", output },
});

const block = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const toolUse = (index: number, id: string, more: object = { input: {} }) =>
  block(index, { type: "tool_use", id, name: "f", ...more });
const inputJson = (index: number, partial_json: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
const textDelta = (index: number, text: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "text_delta", text },
});
const blockStop = (index: number) => ({ type: "content_block_stop", index });
const stopReason = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason } });

const candidate = (parts: object[], finishReason?: string) => ({
  candidates: [{ content: { parts }, ...(finishReason && { finishReason }) }],
});
const functionCall = (call: object) => candidate([{ functionCall: call }]);

const bedrockStart = (contentBlockIndex: number, toolUseId: string) => ({
  contentBlockStart: { contentBlockIndex, start: { toolUse: { toolUseId, name: "f" } } },
});
const bedrockInput = (contentBlockIndex: number, input: string) => ({
  contentBlockDelta: { contentBlockIndex, delta: { toolUse: { input } } },
});

const langchainPart = (fields: object, more: object = {}) => ({
  content: "",
  tool_call_chunks: [fields],
  ...more,
});
const langchainEnd = { content: "", response_metadata: { finish_reason: "tool_calls" } };

const reports: readonly Report[] = [
  // Chat completions
  {
    right: "a finish that comes with every chunk is one finish, and the text is one message",
    source: "linagora/openrag#462",
    decoder: openaiChat(),
    chunks: [choice({ content: "Bon" }, "stop"), choice({ content: "jour" }, "stop"), finish("stop")],
    text: "Bonjour",
    finish: "stop",
    messages: 1,
  },
  {
    right: "a chunk that is null is no chunk",
    source: "Kilo-Org/kilocode#3083",
    decoder: openaiChat(),
    chunks: [choice({ reasoning_content: "Hm" }), null, choice({ content: "Hi" }), finish("stop")],
    text: "Hi",
    reasoning: "Hm",
  },
  {
    right: "the string `null` for arguments is no arguments",
    source: "1jehuang/jcode#225",
    decoder: openaiChat(),
    chunks: [part({ index: 0, id: "a", function: { name: "f", arguments: "null" } }), finish("tool_calls")],
    calls: [["f", "{}"]],
  },
  {
    right: "`null` inside arguments stays where it is, though it is a fragment of its own",
    source: "1jehuang/jcode#225",
    decoder: openaiChat(),
    chunks: [
      part({ index: 0, id: "a", function: { name: "f", arguments: '{"a":' } }),
      part({ index: 0, function: { arguments: "null" } }),
      part({ index: 0, function: { arguments: "}" } }),
      finish("tool_calls"),
    ],
    calls: [["f", '{"a":null}']],
  },
  {
    right: "calls that share an index and have no id are as many as have a name",
    source: "vercel/ai#18440",
    decoder: openaiChat(),
    chunks: [
      part({ index: 0, function: { name: "read_file", arguments: '{"path":"p0"}' } }),
      part({ index: 0, function: { name: "write_file", arguments: '{"path":"p1"}' } }),
      part({ index: 0, function: { name: "read_file", arguments: '{"path":"p2"}' } }),
      finish("tool_calls"),
    ],
    calls: [
      ["read_file", '{"path":"p0"}'],
      ["write_file", '{"path":"p1"}'],
      ["read_file", '{"path":"p2"}'],
    ],
  },
  {
    right: "a blank id is none",
    source: "vercel/ai#18440",
    decoder: openaiChat(),
    chunks: [
      part({ index: 0, id: "a", function: { name: "f", arguments: '{"a":' } }),
      part({ index: 0, id: " ", function: { name: "", arguments: "1}" } }),
      finish("tool_calls"),
    ],
    calls: [["f", '{"a":1}']],
    ids: ["a"],
  },
  {
    right: "two calls under one index are two, with the same arguments too",
    source: "earendil-works/pi#8861",
    decoder: openaiChat(),
    chunks: [
      part({ index: 0, id: "a", function: { name: "get_time", arguments: '{"city":"Paris"}' } }),
      part({ index: 0, id: "b", function: { name: "get_weather", arguments: '{"city":"Paris"}' } }),
      finish("tool_calls"),
    ],
    calls: [
      ["get_time", '{"city":"Paris"}'],
      ["get_weather", '{"city":"Paris"}'],
    ],
    ids: ["a", "b"],
  },
  {
    right: "null for what a continuation does not say overwrites nothing",
    source: "anomalyco/opencode#43328",
    decoder: openaiChat(),
    chunks: [
      part({ index: 0, id: "a", type: "function", function: { name: "calculator", arguments: "" } }),
      part({ index: 0, id: null, type: null, function: { name: null, arguments: "" } }),
      part({ index: 0, id: null, type: null, function: { name: null, arguments: '{"a":1}' } }),
      finish("tool_calls"),
    ],
    calls: [["calculator", '{"a":1}']],
    ids: ["a"],
  },
  {
    right: "a name in pieces is one name, and its arguments come after it",
    source: "MoonshotAI/kimi-code#3220",
    decoder: openaiChat(),
    chunks: [
      part({ index: 0, id: "a", function: { name: "mcp__browser__browser_ope", arguments: "" } }),
      part({ index: 0, function: { name: "n", arguments: "" } }),
      part({ index: 0, function: { arguments: '{"url":"u"}' } }),
      finish("tool_calls"),
    ],
    calls: [["mcp__browser__browser_open", '{"url":"u"}']],
  },
  {
    right: "parts of a call that say nothing make no call, whatever the finish says",
    source: "vllm-project/vllm#54701",
    decoder: openaiChat(),
    chunks: [part({ index: 0 }), part({ index: 0, function: {} }), part({}), finish("tool_calls")],
    calls: [],
    finish: "stop",
  },
  {
    right: "the whole message beside the last, empty delta adds nothing",
    source: "MoonshotAI/kosong#5",
    decoder: openaiChat(),
    chunks: [
      choice({ role: "", content: "Hi" }),
      choice(null, "stop", { message: { role: "assistant", content: "Hi", reasoning_content: "" } }),
    ],
    text: "Hi",
    finish: "stop",
    messages: 1,
  },
  {
    right: "a failure in the field of its own is a failure",
    source: "RooCodeInc/Roo-Code#9105",
    decoder: openaiChat(),
    chunks: [{ choices: null, base_resp: { status_code: 1008, status_msg: "insufficient balance" } }],
    error: "1008",
  },
  {
    right: "an index that begins at 1, and continuations without id or name, are one call",
    source: "BerriAI/litellm#11407",
    decoder: openaiChat(),
    chunks: [
      part({ index: 1, id: "a", function: { name: "f", arguments: "" } }),
      part({ index: 1, function: { arguments: "" } }),
      part({ index: 1, function: { arguments: '{"a":1}' } }),
      finish("tool_calls"),
    ],
    calls: [["f", '{"a":1}']],
    ids: ["a"],
  },

  // Responses
  {
    right: "an item that is confirmed under another id is the same call",
    source: "NousResearch/hermes-agent#94961",
    decoder: openaiResponses(),
    chunks: [
      added(item({ id: "fc_A", call_id: "call_1", arguments: "" })),
      done(item({ id: "fc_B", call_id: "call_1", arguments: '{"path":"p"}' })),
      completed(item({ id: "fc_C", call_id: "call_1", arguments: '{"path":"p"}' })),
    ],
    calls: [["f", '{"path":"p"}']],
    ids: ["call_1"],
  },
  {
    right: "the last event completes a call whose own end never came",
    source: "anomalyco/opencode#46084",
    decoder: openaiResponses(),
    chunks: [
      added(item({ id: "fc_1", call_id: "call_1", arguments: "" }), 0),
      argumentsDelta('{"a":', 0),
      completed(item({ call_id: "call_1", arguments: '{"a":1}' })),
    ],
    calls: [["f", '{"a":1}']],
  },
  {
    right: "a call that only the last event tells of is a call, though text came before it",
    source: "NVIDIA-NeMo/Switchyard#777",
    decoder: openaiResponses(),
    chunks: [
      { type: "response.output_text.delta", output_index: 0, delta: "Wait" },
      completed(
        { type: "message", content: [{ type: "output_text", text: "Wait" }] },
        item({ call_id: "call_1", arguments: "{}" }),
      ),
    ],
    calls: [["f", "{}"]],
    text: "Wait",
    finish: "tool-calls",
  },
  {
    right: "the last event repeats what came, and adds nothing",
    source: "QuantumNous/new-api#6278",
    decoder: openaiResponses(),
    chunks: [
      added(item({ id: "fc_1", call_id: "call_1", arguments: "" }), 1),
      argumentsDelta("{}", 1),
      done(item({ id: "fc_1", call_id: "call_1", arguments: "{}" }), 1),
      completed(item({ id: "fc_1", call_id: "call_1", arguments: "{}" })),
    ],
    calls: [["f", "{}"]],
  },
  {
    right: "an empty output in the last event takes nothing back",
    source: "router-for-me/CLIProxyAPI#2626",
    decoder: openaiResponses(),
    chunks: [done(item({ id: "fc_1", call_id: "call_1", arguments: '{"a":1}' }), 0), completed()],
    calls: [["f", '{"a":1}']],
    finish: "tool-calls",
  },
  {
    right: "text needs no item and no index",
    source: "Oaklight/llm-rosetta#56",
    decoder: openaiResponses(),
    chunks: [
      { type: "response.output_text.delta", delta: "Hel" },
      { type: "response.output_text.delta", delta: "lo" },
      completed(),
    ],
    text: "Hello",
    messages: 1,
  },
  {
    right: "arguments that come only at their end are read",
    source: "lidge-jun/opencodex#4652",
    decoder: openaiResponses(),
    chunks: [
      added(item({ id: "fc_1", call_id: "call_1", arguments: "" }), 0),
      { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"a":1}' },
      completed(),
    ],
    calls: [["f", '{"a":1}']],
  },
  {
    right: "an item that is done but incomplete is cut, also when nothing of its arguments came",
    source: "BerriAI/litellm#37710",
    decoder: openaiResponses(),
    chunks: [
      added(item({ id: "fc_1", call_id: "call_1", arguments: "" }), 0),
      done(item({ id: "fc_1", call_id: "call_1", arguments: "", status: "incomplete" }), 0),
      { type: "response.incomplete", response: { incomplete_details: { reason: "max_output_tokens" } } },
    ],
    calls: [["f", "", "incomplete"]],
    finish: "length",
    error: "incomplete-tool-call",
  },
  {
    right: "xAI's own search is no call of the client's, though it comes as a custom tool's",
    source: "vercel/ai#10523",
    decoder: openaiResponses(),
    chunks: [
      added(
        { type: "custom_tool_call", id: "ctc_1", call_id: "xs_call_1", name: "x_keyword_search", input: "" },
        0,
      ),
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: '{"query":"x"}' },
      done(
        {
          type: "custom_tool_call",
          id: "ctc_1",
          call_id: "xs_call_1",
          name: "x_keyword_search",
          input: '{"query":"x"}',
        },
        0,
      ),
      { type: "response.x_search_call.completed", output_index: 1 },
      done({ type: "x_search_call", id: "xs_2", name: "x_search", arguments: "{}", status: "completed" }, 1),
      { type: "response.output_text.delta", output_index: 2, delta: "Found" },
      { type: "response.done", response: { status: "completed" } },
    ],
    calls: [],
    hosted: ["x_keyword_search", "x_search"],
    text: "Found",
    finish: "stop",
  },
  {
    right: "items that all have index 0 are told apart by their ids, also while they run beside one another",
    source: "tashfeenahmed/freellmapi#842",
    decoder: openaiResponses(),
    chunks: [
      added(item({ id: "fc_1", call_id: "c1" }), 0),
      { ...argumentsDelta('{"a"', 0), item_id: "fc_1" },
      added({ type: "message", id: "m_1" }, 0),
      { type: "response.output_text.delta", output_index: 0, item_id: "m_1", delta: "Hi" },
      added(item({ id: "fc_2", call_id: "c2" }), 0),
      { ...argumentsDelta('{"b":2}', 0), item_id: "fc_2" },
      { ...argumentsDelta(":1}", 0), item_id: "fc_1" },
      done(item({ id: "fc_1", call_id: "c1", arguments: '{"a":1}' }), 0),
      done({ type: "message", id: "m_1", content: [{ type: "output_text", text: "Hi" }] }, 0),
      done(item({ id: "fc_2", call_id: "c2", arguments: '{"b":2}' }), 0),
      completed(),
    ],
    calls: [
      ["f", '{"a":1}'],
      ["f", '{"b":2}'],
    ],
    ids: ["c1", "c2"],
    text: "Hi",
  },
  {
    right: "a call after reasoning of the same index is a call, and the reasoning stays whole",
    source: "decolua/9router#2611",
    decoder: openaiResponses(),
    chunks: [
      added({ type: "reasoning", id: "rs_1" }, 0),
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "Hm" },
      added(item({ id: "fc_1", call_id: "c1" }), 0),
      { ...argumentsDelta("{}", 0), item_id: "fc_1" },
      done({ type: "reasoning", id: "rs_1", summary: [{ type: "summary_text", text: "Hm" }] }, 0),
      done(item({ id: "fc_1", call_id: "c1", arguments: "{}" }), 0),
      completed(),
    ],
    calls: [["f", "{}"]],
    reasoning: "Hm",
  },
  {
    right: "events without any index find their items by id",
    source: "lemonade-sdk/lemonade#3607",
    decoder: openaiResponses(),
    chunks: [
      added({ type: "message", id: "m_1" }),
      { type: "response.output_text.delta", item_id: "m_1", delta: "Hi" },
      done({ type: "message", id: "m_1", content: [{ type: "output_text", text: "Hi" }] }),
      added(item({ id: "fc_1", call_id: "c1" })),
      { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '{"a":1}' },
      done(item({ id: "fc_1", call_id: "c1", arguments: '{"a":1}' })),
      completed(),
    ],
    calls: [["f", '{"a":1}']],
    text: "Hi",
    messages: 1,
  },
  {
    right: "fragments that name the call and nothing else belong to that call",
    source: "lidge-jun/opencodex#1361",
    decoder: openaiResponses(),
    chunks: [
      added(item({ id: "fc_1", call_id: "c1" }), 0),
      added(item({ id: "fc_2", call_id: "c2" }), 1),
      { type: "response.function_call_arguments.delta", call_id: "c1", delta: '{"a":1}' },
      { type: "response.function_call_arguments.delta", call_id: "c2", delta: '{"b":2}' },
      completed(),
    ],
    calls: [
      ["f", '{"a":1}'],
      ["f", '{"b":2}'],
    ],
    ids: ["c1", "c2"],
  },
  {
    right: "fragments that come before their item is announced are its beginning",
    source: "docker/docker-agent#2976",
    decoder: openaiResponses(),
    chunks: [
      { ...argumentsDelta('{"a":', 0), item_id: "fc_1" },
      added(item({ id: "fc_1", call_id: "c1" }), 0),
      { ...argumentsDelta("1}", 0), item_id: "fc_1" },
      completed(),
    ],
    calls: [["f", '{"a":1}']],
    ids: ["c1"],
  },
  {
    right: "arguments that came whole before their item was announced are not begun again by a late fragment",
    source: "docker/docker-agent#3825",
    decoder: openaiResponses(),
    chunks: [
      {
        type: "response.function_call_arguments.done",
        output_index: 0,
        item_id: "fc_1",
        arguments: '{"a":1}',
      },
      added(item({ id: "fc_1", call_id: "c1" }), 0),
      { ...argumentsDelta('{"a"', 0), item_id: "fc_1" },
      done(item({ id: "fc_1", call_id: "c1", arguments: '{"a":1}' }), 0),
      completed(),
    ],
    calls: [["f", '{"a":1}']],
    ids: ["c1"],
  },
  {
    right: "items that the response's end repeats under other ids are the same items",
    source: "vllm-project/vllm#56285",
    decoder: openaiResponses(),
    chunks: [
      added(item({ id: "1", call_id: "c1" }), 0),
      argumentsDelta('{"a":1}', 0),
      done(item({ id: "1", call_id: "c1", arguments: '{"a":1}' }), 0),
      completed(
        { type: "reasoning", id: "rs_1", summary: [] },
        item({ id: "fc_9", call_id: "c9", arguments: '{"a":1}' }),
        item({ id: "fc_8", call_id: "c8", arguments: '{"b":2}' }),
      ),
    ],
    // The second of them had not come before.
    calls: [
      ["f", '{"a":1}'],
      ["f", '{"b":2}'],
    ],
    ids: ["c1", "c8"],
  },

  // Anthropic
  {
    right: "blocks that nothing stops are whole at the finish",
    source: "xemantic/anthropic-sdk-kotlin#147",
    decoder: anthropic(),
    chunks: [
      block(0, { type: "text", text: "" }),
      textDelta(0, "Hi"),
      toolUse(1, "a"),
      inputJson(1, '{"a":1}'),
      toolUse(2, "b"),
      stopReason("tool_use"),
    ],
    calls: [
      ["f", '{"a":1}'],
      ["f", "{}"],
    ],
    text: "Hi",
  },
  {
    right: "text that comes under a call's index is text, and the call goes on",
    source: "sgl-project/sglang#24293",
    decoder: anthropic(),
    chunks: [
      toolUse(0, "a"),
      inputJson(0, '{"a":'),
      textDelta(0, "\n"),
      inputJson(0, "1}"),
      blockStop(0),
      stopReason("tool_use"),
    ],
    calls: [["f", '{"a":1}']],
  },
  {
    right: "a call's start needs no input",
    source: "farion1231/cc-switch#2557",
    decoder: anthropic(),
    chunks: [toolUse(0, "a", {}), inputJson(0, '{"a":1}'), blockStop(0), stopReason("tool_use")],
    calls: [["f", '{"a":1}']],
  },

  // Gemini
  {
    right: "one part may hold text and a call: both count",
    source: "NousResearch/hermes-agent#109862",
    decoder: gemini(),
    chunks: [candidate([{ text: "Let me check.", functionCall: { name: "f", args: { a: 1 } } }], "STOP")],
    calls: [["f", '{"a":1}']],
    text: "Let me check.",
    finish: "tool-calls",
  },
  {
    right: "streamed arguments end with the part that no longer says that they go on",
    source: "vercel/ai#14358",
    decoder: gemini(),
    chunks: [
      functionCall({ name: "f", willContinue: true }),
      functionCall({ partialArgs: [{ jsonPath: "$.items[0].name", stringValue: "x" }], willContinue: true }),
      functionCall({ partialArgs: [{ jsonPath: "$.items[1].name", stringValue: "y" }] }),
      candidate([], "STOP"),
    ],
    calls: [["f", '{"items":[{"name":"x"},{"name":"y"}]}']],
  },
  {
    right: "streamed arguments whose last part never came are whole where the answer ended by itself",
    source: "vercel/ai#14358",
    decoder: gemini(),
    chunks: [
      functionCall({ name: "f", willContinue: true }),
      functionCall({ partialArgs: [{ jsonPath: "$.items[0].name", stringValue: "x" }], willContinue: true }),
      candidate([], "STOP"),
    ],
    calls: [["f", '{"items":[{"name":"x"}]}']],
  },
  {
    right: "streamed arguments are cut where the answer was",
    source: "vercel/ai#14358",
    decoder: gemini(),
    chunks: [
      functionCall({ name: "f", willContinue: true }),
      functionCall({ partialArgs: [{ jsonPath: "$.items[0].name", stringValue: "x" }], willContinue: true }),
      candidate([], "MAX_TOKENS"),
    ],
    calls: [["f", '{"items":[{"name":"x"', "incomplete"]],
    error: "incomplete-tool-call",
  },
  {
    right: "a call that Gemini could not write is a failure with its name, though nothing else comes",
    source: "elastic/kibana#227096",
    decoder: gemini(),
    chunks: [{ candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL" }] }],
    error: "MALFORMED_FUNCTION_CALL",
  },

  // Bedrock, Cohere, Ollama
  {
    right: "blocks that nothing stops are whole at the message's stop",
    source: "maximhq/bifrost#4262",
    decoder: bedrock(),
    chunks: [
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: "Hi" } } },
      bedrockStart(1, "a"),
      bedrockInput(1, '{"a":1}'),
      bedrockStart(2, "b"),
      bedrockInput(2, '{"a":2}'),
      { messageStop: { stopReason: "tool_use" } },
    ],
    calls: [
      ["f", '{"a":1}'],
      ["f", '{"a":2}'],
    ],
    ids: ["a", "b"],
    text: "Hi",
  },
  {
    right: "`null` for the arguments of a tool that takes none is no arguments",
    source: "vercel/ai#4755",
    decoder: cohere(),
    chunks: [
      {
        type: "tool-call-start",
        index: 0,
        delta: { message: { tool_calls: { id: "a", function: { name: "f", arguments: "" } } } },
      },
      {
        type: "tool-call-delta",
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: "null" } } } },
      },
      { type: "tool-call-end", index: 0 },
      { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
    ],
    calls: [["f", "{}"]],
  },
  {
    right: "parallel calls are told apart by their index",
    source: "mozilla-ai/any-llm#1013",
    decoder: cohere(),
    chunks: [
      ...[0, 1].map((index) => ({
        type: "tool-call-start",
        index,
        delta: { message: { tool_calls: { id: `c${index}`, function: { name: "f", arguments: "" } } } },
      })),
      ...[0, 1].map((index) => ({
        type: "tool-call-delta",
        index,
        delta: { message: { tool_calls: { function: { arguments: `{"a":${index}}` } } } },
      })),
      { type: "tool-call-end", index: 0 },
      { type: "tool-call-end", index: 1 },
      { type: "message-end", delta: { finish_reason: "TOOL_CALL" } },
    ],
    calls: [
      ["f", '{"a":0}'],
      ["f", '{"a":1}'],
    ],
    ids: ["c0", "c1"],
  },
  {
    right: "two calls of one tool with the same arguments are two",
    source: "run-llama/llama_index#22464",
    decoder: ollama(),
    chunks: [
      { message: { tool_calls: [{ function: { name: "roll_die", arguments: {} } }] }, done: false },
      { message: { tool_calls: [{ function: { name: "roll_die", arguments: {} } }] }, done: false },
      { message: { content: "" }, done: true, done_reason: "stop" },
    ],
    calls: [
      ["roll_die", "{}"],
      ["roll_die", "{}"],
    ],
  },

  // The AI SDK, LangChain
  {
    right: "an id that a later step uses again is another call",
    source: "vercel/ai#17347",
    decoder: aiSdk(),
    chunks: [
      ...[1, 2].flatMap((step) => [
        { type: "start-step" },
        { type: "tool-input-start", id: "call_0", toolName: "f" },
        { type: "tool-input-delta", id: "call_0", delta: `{"step":${step}}` },
        { type: "tool-input-end", id: "call_0" },
        { type: "tool-call", toolCallId: "call_0", toolName: "f", input: { step } },
        { type: "tool-result", toolCallId: "call_0", toolName: "f", output: step },
        { type: "finish-step", finishReason: "tool-calls" },
      ]),
      { type: "finish", finishReason: "tool-calls" },
    ],
    calls: [
      ["f", '{"step":1}'],
      ["f", '{"step":2}'],
    ],
    ids: ["call_0", "call_0"],
  },
  {
    right: "the call of a tool that does not exist is one call, with one answer",
    source: "vercel/ai#12772",
    decoder: aiSdk(),
    chunks: [
      { type: "tool-input-start", toolCallId: "a", toolName: "f" },
      { type: "tool-input-delta", toolCallId: "a", inputTextDelta: "{}" },
      {
        type: "tool-input-error",
        toolCallId: "a",
        toolName: "f",
        input: {},
        dynamic: true,
        errorText: "none",
      },
      { type: "tool-output-error", toolCallId: "a", errorText: "none" },
      { type: "finish" },
    ],
    calls: [["f", "{}"]],
  },
  {
    right: "the inputs of parallel calls are told apart, and an output of an earlier answer's call is kept",
    source: "assistant-ui/assistant-ui#6154",
    decoder: aiSdk(),
    chunks: [
      { type: "tool-input-start", toolCallId: "a", toolName: "f" },
      { type: "tool-input-start", toolCallId: "b", toolName: "f" },
      { type: "tool-input-delta", toolCallId: "a", inputTextDelta: '{"a":' },
      { type: "tool-input-delta", toolCallId: "b", inputTextDelta: '{"b":2}' },
      { type: "tool-input-delta", toolCallId: "a", inputTextDelta: "1}" },
      { type: "tool-input-available", toolCallId: "a", toolName: "f", input: { a: 1 } },
      { type: "tool-input-available", toolCallId: "b", toolName: "f", input: { b: 2 } },
      { type: "tool-output-available", toolCallId: "earlier", output: "ok" },
      { type: "finish" },
    ],
    calls: [
      ["f", '{"a":1}'],
      ["f", '{"b":2}'],
    ],
    ids: ["a", "b"],
  },
  {
    right: "calls that share an index and differ in their id are two",
    source: "langchain-ai/langchain#35281",
    decoder: langchain(),
    chunks: [
      langchainPart({ id: "a", name: "f", args: '{"a":1}', index: 0 }),
      langchainPart({ id: "b", name: "f", args: '{"a":2}', index: 0 }),
      langchainEnd,
    ],
    calls: [
      ["f", '{"a":1}'],
      ["f", '{"a":2}'],
    ],
    ids: ["a", "b"],
  },
  {
    right: "parts without an index, with empty ids and names, belong to the call before them",
    source: "langchain-ai/langchain#34671",
    decoder: langchain(),
    chunks: [
      langchainPart({ id: "a", name: "f", args: "", index: null }),
      langchainPart({ id: "", name: "", args: '{"a":', index: null }),
      langchainPart({ id: "", name: "", args: "1}", index: null }),
      langchainEnd,
    ],
    calls: [["f", '{"a":1}']],
  },
  {
    right: "one chunk may hold a call's head and the beginning of its arguments as two parts",
    source: "langchain-ai/langchain#39086",
    decoder: langchain(),
    chunks: [
      {
        content: "",
        tool_call_chunks: [
          { id: "a", name: "f", args: "", index: 0 },
          { args: '{"a":', index: 0 },
        ],
      },
      langchainPart({ args: "1}", index: 0 }),
      langchainEnd,
    ],
    calls: [["f", '{"a":1}']],
  },
];

describe("further public reports", () => {
  it.each(reports)("$right ($source)", (report) => {
    const { calls, deltas, text, reasoning } = decode(report.chunks as never[], report.decoder);
    const mine = calls.filter((call) => !call.providerExecuted);
    expect(mine.map((call) => [call.name, call.arguments, call.status])).toEqual(
      (report.calls ?? []).map(([name, args, status = "complete"]) => [name, args, status]),
    );
    if (report.ids) expect(mine.map(({ id }) => id)).toEqual(report.ids);
    const hosted = calls.filter((call) => call.providerExecuted).map(({ name }) => name);
    expect(hosted).toEqual(report.hosted ?? []);
    if (report.text !== undefined) expect(text).toBe(report.text);
    if (report.reasoning !== undefined) expect(reasoning).toBe(report.reasoning);
    const finishes = deltas.flatMap((delta) => (delta.type === "finish" ? [delta.reason] : []));
    if (report.finish) expect(finishes).toEqual([report.finish]);

    const { seen, error } = eventsOf(report);
    expect(isProviderError(error) ? error.code : error).toBe(report.error);
    const count = (type: EventType) => seen.filter((event) => event.type === type).length;
    if (report.messages !== undefined) expect(count(EventType.TEXT_MESSAGE_START)).toBe(report.messages);
    const whole = calls.filter(({ status }) => status !== "incomplete");
    expect(count(EventType.TOOL_CALL_END)).toBe(whole.length);
    const ids = seen.flatMap((event) => (event.type === EventType.TOOL_CALL_START ? [event.toolCallId] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("a signature that comes alone belongs to the reasoning of its index (OpenRouterTeam/ai-sdk-provider#423)", () => {
    const detail = { type: "reasoning.text", format: "anthropic-claude-v1", index: 0 };
    const { seen } = eventsOf({
      right: "",
      source: "",
      decoder: openaiChat(),
      chunks: [
        choice({ reasoning: "Let me", reasoning_details: [{ ...detail, text: "Let me" }] }),
        choice({ reasoning: " see", reasoning_details: [{ ...detail, text: " see" }] }),
        choice({ reasoning_details: [{ ...detail, signature: "sig" }] }),
        choice({ content: "Hi" }, "stop"),
      ],
    });
    const started = seen.filter((event) => event.type === EventType.REASONING_MESSAGE_START);
    expect(started).toHaveLength(1);
    expect(seen).toContainEqual(
      expect.objectContaining({
        type: EventType.REASONING_ENCRYPTED_VALUE,
        entityId: started[0]!.messageId,
        encryptedValue: "sig",
      }),
    );
  });

  it("tokens that Moonshot counts in the choice and in `cached_tokens` are counted (sgl-project/sglang#39897)", () => {
    const usage = { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11, cached_tokens: 8 };
    const { deltas } = decode([choice({ content: "Hi" }), choice({}, "stop", { usage })], openaiChat());
    expect(deltas).toContainEqual({
      type: "usage",
      usage: { provider: "openai", inputTokens: 9, outputTokens: 2, totalTokens: 11, cachedInputTokens: 8 },
    });
  });

  it("redacted reasoning is kept under whichever name, and a late metadata event takes no usage back (anomalyco/opencode#38712)", () => {
    const { deltas } = decode(
      [
        { contentBlockDelta: { contentBlockIndex: 0, delta: { reasoningContent: { data: "c2VhbGVk" } } } },
        { messageStop: { stopReason: "end_turn" } },
        { metadata: { usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } } },
        { metadata: { metrics: { latencyMs: 1 } } },
      ],
      bedrock(),
    );
    expect(deltas).toContainEqual(
      expect.objectContaining({
        type: "reasoning",
        encryptedValue: "c2VhbGVk",
        encryptedValueType: "bedrock.redacted_content",
      }),
    );
    expect(deltas.filter((delta) => delta.type === "usage").at(-1)).toMatchObject({
      usage: { totalTokens: 3 },
    });
  });

  it("a run of several steps ends as its last step ended, not as the calls before it (agents that answer their own calls)", () => {
    const { deltas } = decode(
      [
        { type: "start-step" },
        { type: "tool-call", toolCallId: "a", toolName: "f", input: {} },
        { type: "tool-result", toolCallId: "a", toolName: "f", output: "ok" },
        { type: "finish-step", finishReason: "tool-calls" },
        { type: "start-step" },
        { type: "text-delta", id: "1", text: "Done" },
        { type: "finish-step", finishReason: "stop" },
        { type: "finish", finishReason: "stop" },
      ],
      aiSdk(),
    );
    expect(deltas.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  it("results of one answer are messages of their own (microsoft/agent-framework#6015)", () => {
    const { seen } = eventsOf({
      right: "",
      source: "",
      decoder: anthropic(),
      chunks: [
        ...["s1", "s2"].flatMap((id, index) => [
          block(index, { type: "server_tool_use", id, name: "web_search", input: { query: id } }),
          blockStop(index),
        ]),
        ...["s1", "s2"].flatMap((tool_use_id, at) => [
          block(at + 2, { type: "web_search_tool_result", tool_use_id, content: [] }),
          blockStop(at + 2),
        ]),
        stopReason("end_turn"),
      ],
    });
    const results = seen.filter((event) => event.type === EventType.TOOL_CALL_RESULT);
    expect(results.map(({ toolCallId }) => toolCallId)).toEqual(["s1", "s2"]);
    expect(new Set(results.map(({ messageId }) => messageId)).size).toBe(2);
  });

  it("two chunks that ran into one another are an error, and the call before them is cut (zai-org/GLM-5#66)", () => {
    const head = JSON.stringify(part({ index: 0, id: "a", function: { name: "f", arguments: '{"a":' } }));
    const body = `data: ${head}\n\ndata: {"id":"1","object":"chat.cdata: {"id":"2","choices":[]}\n\n`;
    const deltas: Delta[] = [];
    let error: unknown;
    of(body)
      .pipe(toChunks(), openaiChat())
      .subscribe({ next: (delta) => deltas.push(delta), error: (cause: unknown) => (error = cause) });
    expect(error).toMatchObject({ name: "ProviderError", code: "malformed-chunk", retryable: true });
    expect(deltas.some((delta) => delta.type === "tool-call-end" && delta.status === "complete")).toBe(false);
  });
});
