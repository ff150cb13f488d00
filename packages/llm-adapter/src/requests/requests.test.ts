import Anthropic from "@anthropic-ai/sdk";
import type { Message, Warning } from "@agrx/core";
import { BedrockRuntimeClient, ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime";
import { GoogleGenAI } from "@google/genai";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { CohereClientV2 } from "cohere-ai";
import { Ollama } from "ollama";
import OpenAI from "openai";
import {
  toAnthropic,
  toBedrock,
  toCohere,
  toGemini,
  toMistral,
  toOllama,
  toOpenAI,
  toOpenAIResponses,
} from "./index.js";
import type { ModelRequest } from "./model-request.js";
import { startRecordingProvider, type RecordingProvider } from "./recording-provider.fixture.js";

const png = "iVBORw0KGgo=";
const user = (content: string): Message => ({ id: `u-${content}`, role: "user", content });
const call = (id: string, name: string, args: string, extra = {}) => ({
  id,
  type: "function" as const,
  function: { name, arguments: args },
  ...extra,
});
const result = (toolCallId: string, content: string, extra = {}): Message => ({
  id: `r-${toolCallId}`,
  role: "tool",
  toolCallId,
  content,
  ...extra,
});

/** Two parallel calls whose answers came in the other order and apart from their message. */
const parallel: ModelRequest = {
  instructions: "Be brief.",
  context: [{ description: "Unit", value: "celsius" }],
  messages: [
    user("Weather and a die?"),
    {
      id: "a1",
      role: "assistant",
      content: "Both.",
      toolCalls: [call("call_w", "get_weather", '{"city":"Seoul"}'), call("call_d", "roll_dice", "")],
    },
    result("call_d", '{"value":17}'),
    result("call_w", "no such city", { error: "not found" }),
    user("Thanks"),
  ],
  tools: [
    {
      name: "get_weather",
      description: "Weather now",
      parameters: {
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: { city: { type: "string", pattern: "^[A-Z]" }, unit: { const: "celsius" } },
        required: ["city"],
        additionalProperties: false,
      },
    },
    { name: "roll_dice", description: "A die" },
  ],
};

const drain = async (stream: PromiseLike<AsyncIterable<unknown>>) => {
  for await (const chunk of await stream) void chunk;
};

let provider: RecordingProvider;
beforeAll(async () => (provider = await startRecordingProvider()));
afterAll(() => provider.stop());

describe("requests, as the official SDKs put them on the wire", () => {
  it("gives OpenAI each call's answer right behind its message, in the order of the calls", async () => {
    const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "test" });
    await drain(client.chat.completions.create({ model: "m", stream: true, ...toOpenAI(parallel) }));
    expect(provider.lastBody).toEqual({
      model: "m",
      stream: true,
      messages: [
        { role: "system", content: "Be brief.\n\nUnit: celsius" },
        { role: "user", content: "Weather and a die?" },
        {
          role: "assistant",
          content: "Both.",
          tool_calls: [
            {
              id: "call_w",
              type: "function",
              function: { name: "get_weather", arguments: '{"city":"Seoul"}' },
            },
            { id: "call_d", type: "function", function: { name: "roll_dice", arguments: "{}" } },
          ],
        },
        { role: "tool", tool_call_id: "call_w", content: "no such city" },
        { role: "tool", tool_call_id: "call_d", content: '{"value":17}' },
        { role: "user", content: "Thanks" },
      ],
      tools: [
        {
          type: "function",
          function: {
            name: "get_weather",
            description: "Weather now",
            parameters: {
              type: "object",
              properties: { city: { type: "string", pattern: "^[A-Z]" }, unit: { const: "celsius" } },
              required: ["city"],
              additionalProperties: false,
            },
          },
        },
        {
          type: "function",
          function: {
            name: "roll_dice",
            description: "A die",
            parameters: { type: "object", properties: {} },
          },
        },
      ],
    });
  });

  it("gives OpenAI Responses calls and outputs as items that share the call id", async () => {
    const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "test" });
    await drain(client.responses.create({ model: "m", stream: true, ...toOpenAIResponses(parallel) }));
    expect(provider.lastBody["instructions"]).toBe("Be brief.\n\nUnit: celsius");
    expect(provider.lastBody["input"]).toEqual([
      { role: "user", content: "Weather and a die?" },
      { role: "assistant", content: "Both." },
      { type: "function_call", call_id: "call_w", name: "get_weather", arguments: '{"city":"Seoul"}' },
      { type: "function_call", call_id: "call_d", name: "roll_dice", arguments: "{}" },
      { type: "function_call_output", call_id: "call_w", output: "no such city" },
      { type: "function_call_output", call_id: "call_d", output: '{"value":17}' },
      { role: "user", content: "Thanks" },
    ]);
  });

  it("gives Anthropic all answers first in the one user message that follows", async () => {
    const client = new Anthropic({ baseURL: provider.url, apiKey: "test" });
    await drain(
      client.messages.create({ model: "m", max_tokens: 9, stream: true, ...toAnthropic(parallel) }),
    );
    expect(provider.lastBody["system"]).toBe("Be brief.\n\nUnit: celsius");
    expect(provider.lastBody["messages"]).toEqual([
      { role: "user", content: [{ type: "text", text: "Weather and a die?" }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "Both." },
          { type: "tool_use", id: "call_w", name: "get_weather", input: { city: "Seoul" } },
          { type: "tool_use", id: "call_d", name: "roll_dice", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "call_w",
            content: [{ type: "text", text: "no such city" }],
            is_error: true,
          },
          { type: "tool_result", tool_use_id: "call_d", content: [{ type: "text", text: '{"value":17}' }] },
          { type: "text", text: "Thanks" },
        ],
      },
    ]);
  });

  it("gives Gemini calls and responses by name, and schemas with its own keywords only", async () => {
    const client = new GoogleGenAI({ apiKey: "test", httpOptions: { baseUrl: provider.url } });
    await drain(client.models.generateContentStream({ model: "m", ...toGemini(parallel) }));
    expect(provider.lastBody["contents"]).toEqual([
      { role: "user", parts: [{ text: "Weather and a die?" }] },
      {
        role: "model",
        parts: [
          { text: "Both." },
          { functionCall: { name: "get_weather", args: { city: "Seoul" } } },
          { functionCall: { name: "roll_dice", args: {} } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { name: "get_weather", response: { error: "no such city" } } },
          { functionResponse: { name: "roll_dice", response: { value: 17 } } },
        ],
      },
      { role: "user", parts: [{ text: "Thanks" }] },
    ]);
    expect(provider.lastBody["tools"]).toEqual([
      {
        functionDeclarations: [
          {
            name: "get_weather",
            description: "Weather now",
            parametersJsonSchema: {
              type: "object",
              properties: { city: { type: "string" }, unit: { enum: ["celsius"] } },
              required: ["city"],
              additionalProperties: false,
            },
          },
          {
            name: "roll_dice",
            description: "A die",
            parametersJsonSchema: { type: "object", properties: {} },
          },
        ],
      },
    ]);
  });

  it("gives Bedrock alternating roles and marks a failed tool", async () => {
    const client = new BedrockRuntimeClient({
      region: "us-east-1",
      endpoint: provider.url,
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
      requestHandler: new NodeHttpHandler(),
    });
    const answer = await client.send(new ConverseStreamCommand({ modelId: "m", ...toBedrock(parallel) }));
    await drain(Promise.resolve(answer.stream!));
    client.destroy();
    expect(provider.lastBody["system"]).toEqual([{ text: "Be brief.\n\nUnit: celsius" }]);
    expect(provider.lastBody["messages"]).toEqual([
      { role: "user", content: [{ text: "Weather and a die?" }] },
      {
        role: "assistant",
        content: [
          { text: "Both." },
          { toolUse: { toolUseId: "call_w", name: "get_weather", input: { city: "Seoul" } } },
          { toolUse: { toolUseId: "call_d", name: "roll_dice", input: {} } },
        ],
      },
      {
        role: "user",
        content: [
          { toolResult: { toolUseId: "call_w", content: [{ text: "no such city" }], status: "error" } },
          { toolResult: { toolUseId: "call_d", content: [{ text: '{"value":17}' }] } },
          { text: "Thanks" },
        ],
      },
    ]);
  });

  it("gives Cohere the text that came with calls as the tool plan", async () => {
    const client = new CohereClientV2({ environment: provider.url, token: "test" });
    await drain(client.chatStream({ model: "m", ...toCohere(parallel) }));
    expect((provider.lastBody["messages"] as unknown[])[2]).toEqual({
      role: "assistant",
      tool_plan: "Both.",
      tool_calls: [
        { id: "call_w", type: "function", function: { name: "get_weather", arguments: '{"city":"Seoul"}' } },
        { id: "call_d", type: "function", function: { name: "roll_dice", arguments: "{}" } },
      ],
    });
  });

  it("gives Ollama arguments as objects and answers by name", async () => {
    const client = new Ollama({ host: provider.url });
    await drain(client.chat({ model: "m", stream: true, ...toOllama(parallel) }));
    expect((provider.lastBody["messages"] as unknown[]).slice(2, 5)).toEqual([
      {
        role: "assistant",
        content: "Both.",
        tool_calls: [
          { function: { name: "get_weather", arguments: { city: "Seoul" } } },
          { function: { name: "roll_dice", arguments: {} } },
        ],
      },
      { role: "tool", tool_name: "get_weather", content: "no such city" },
      { role: "tool", tool_name: "roll_dice", content: '{"value":17}' },
    ]);
  });

  it("gives Mistral call ids of nine letters or digits, the same ones every time", () => {
    const first = toMistral(parallel);
    const ids = first.messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : []));
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(toMistral(parallel)).toEqual(first);
  });
});

describe("a history that no provider takes as it is", () => {
  it("answers a call that nobody answered with an error that says so", () => {
    const { messages } = toAnthropic({
      messages: [user("Hi"), { id: "a", role: "assistant", toolCalls: [call("c", "f", "{}")] }],
    });
    expect(messages.at(-1)).toEqual({
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: "c",
          content: [{ type: "text", text: "This call was not answered." }],
          is_error: true,
        },
      ],
    });
  });

  it("leaves out a tool message without a call, and warns", () => {
    const warnings: Warning[] = [];
    const { messages } = toOpenAI(
      { messages: [user("Hi"), result("c", "secret")] },
      { onWarning: (w) => warnings.push(w) },
    );
    expect(messages).toHaveLength(1);
    expect(warnings).toEqual([expect.objectContaining({ code: "orphan-result", id: "c" })]);
    expect(warnings[0]!.message).not.toContain("secret");
  });

  it("sends arguments that are no JSON under `input`, so that one bad call does not end the thread", () => {
    const { contents } = toGemini({
      messages: [
        user("Hi"),
        { id: "a", role: "assistant", toolCalls: [call("c", "f", '{"a":1}{"a":2}')] },
        result("c", "?"),
      ],
    });
    expect(contents[1]!.parts[0]!.functionCall!.args).toEqual({ input: '{"a":1}{"a":2}' });
  });

  it("replaces ids that a provider refuses, one for each call, and keeps the pairs", () => {
    const messages: Message[] = [
      user("Hi"),
      { id: "a", role: "assistant", toolCalls: [call("функция:1", "f", "{}"), call("функция:2", "f", "{}")] },
      result("функция:1", "one"),
      result("функция:2", "two"),
    ];
    const request = toAnthropic({ messages });
    const blocks = request.messages.flatMap(
      ({ content }) => content as { type: string; id?: string; tool_use_id?: string }[],
    );
    const called = blocks.flatMap((block) => block.id ?? []);
    expect(called.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
    expect(new Set(called).size).toBe(2);
    expect(blocks.flatMap((block) => block.tool_use_id ?? [])).toEqual(called);
  });

  it("sends a renamed call back under the id that its provider gave, unless another call has it", () => {
    const renamed = { metadata: { "agrx.providerCallId": "call_1" } };
    const alone = toOpenAI({
      messages: [
        user("Hi"),
        { id: "a", role: "assistant", toolCalls: [call("call_1-2", "f", "{}", renamed)] },
      ],
    });
    expect(JSON.stringify(alone.messages[1])).toContain('"id":"call_1"');
    const both = toOpenAI({
      messages: [
        user("Hi"),
        {
          id: "a",
          role: "assistant",
          toolCalls: [call("call_1", "f", "{}"), call("call_1-2", "f", "{}", renamed)],
        },
      ],
    });
    const ids = both.messages.flatMap((message) => (message.role === "tool" ? [message.tool_call_id] : []));
    expect(ids).toEqual(["call_1", "call_1-2"]);
  });
});

describe("what has to go back as it came", () => {
  const reasoning = (encryptedValueType: string, content = "Hm.") =>
    ({ id: "t", role: "reasoning", content, encryptedValue: "sealed", encryptedValueType }) as Message;
  const answer: Message = { id: "a", role: "assistant", content: "Hello" };

  it("sends Anthropic's thinking with its signature and redacted thinking as data", () => {
    const thinking = toAnthropic({ messages: [user("Hi"), reasoning("anthropic.signature"), answer] });
    expect(thinking.messages[1]!.content[0]).toEqual({
      type: "thinking",
      thinking: "Hm.",
      signature: "sealed",
    });
    const redacted = toAnthropic({
      messages: [user("Hi"), reasoning("anthropic.redacted_thinking", ""), answer],
    });
    expect(redacted.messages[1]!.content[0]).toEqual({ type: "redacted_thinking", data: "sealed" });
  });

  it("sends no provider what another one sealed", () => {
    const messages = [user("Hi"), reasoning("google.thought_signature"), answer];
    expect(JSON.stringify(toAnthropic({ messages }))).not.toContain("sealed");
    expect(JSON.stringify(toOpenAIResponses({ messages }))).not.toContain("sealed");
    expect(JSON.stringify(toBedrock({ messages }))).not.toContain("sealed");
  });

  it("sends Gemini's signature on the very call that it came with, and invents none for the next", () => {
    const signed = { encryptedValue: "sig", encryptedValueType: "google.thought_signature" };
    const { contents } = toGemini({
      messages: [
        user("Hi"),
        { id: "a", role: "assistant", toolCalls: [call("1", "f", "{}", signed), call("2", "g", "{}")] },
      ],
    });
    expect(contents[1]!.parts).toEqual([
      { functionCall: { name: "f", args: {} }, thoughtSignature: "sig" },
      { functionCall: { name: "g", args: {} } },
    ]);
  });
});

describe("parts of a message", () => {
  const image = {
    type: "image" as const,
    source: { type: "data" as const, value: png, mimeType: "image/png" },
  };
  const video = {
    type: "video" as const,
    source: { type: "url" as const, value: "https://example.test/v.mp4" },
  };

  it("go to each provider in its own words, also in a tool's result where it takes them", () => {
    const messages: Message[] = [
      { id: "u", role: "user", content: [{ type: "text", text: "What is it?" }, image] },
      { id: "a", role: "assistant", toolCalls: [call("c", "photo", "{}")] },
      { id: "r", role: "tool", toolCallId: "c", content: [{ type: "text", text: "Here" }, image] },
    ];
    expect(toOpenAI({ messages }).messages[0]!.content).toEqual([
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    ]);
    const source = { type: "base64", media_type: "image/png", data: png };
    expect(JSON.stringify(toAnthropic({ messages }).messages.at(-1))).toContain(JSON.stringify(source));
    expect(toGemini({ messages }).contents.at(-1)!.parts[0]!.functionResponse).toEqual({
      name: "photo",
      response: { output: "Here" },
      parts: [{ inlineData: { mimeType: "image/png", data: png } }],
    });
    expect(toOllama({ messages }).messages.at(-1)).toMatchObject({ content: "Here", images: [png] });
  });

  it("that a provider does not take are left out with a warning, and the call is answered all the same", () => {
    const warnings: Warning[] = [];
    const { messages } = toOpenAI(
      {
        messages: [
          { id: "u", role: "user", content: [video, { type: "text", text: "Look" }] },
          { id: "a", role: "assistant", toolCalls: [call("c", "film", "{}")] },
          { id: "r", role: "tool", toolCallId: "c", content: [video] },
        ],
      },
      { onWarning: (warning) => warnings.push(warning) },
    );
    expect(messages[0]!.content).toEqual([{ type: "text", text: "Look" }]);
    expect(messages.at(-1)).toEqual({ role: "tool", tool_call_id: "c", content: "" });
    expect(warnings.map(({ code }) => code)).toEqual(["part-left-out", "part-left-out"]);
  });
});
