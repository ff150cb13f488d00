import { MessageStream } from "@anthropic-ai/sdk/lib/MessageStream";
import { EventType, type AGUIEvent } from "@agrx/core";
import {
  aiSdk,
  anthropic,
  openaiChat,
  toEvents,
  toToolCalls,
  type AiSdkChunk,
  type AnthropicChunk,
  type Delta,
  type OpenAIChatChunk,
} from "@agrx/llm-adapter";
import { verify } from "@agrx/verify";
import { StreamProcessor, type StreamChunk } from "@tanstack/ai";
import { jsonSchema, streamText, tool, type ToolSet } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV3 } from "ai/test";
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream";
import { concat, from, of, type Observable, type OperatorFunction } from "rxjs";
import { bench } from "./harness.js";

/** Calls of some rows each, or one call of a given length; the arguments in fragments of 12 characters. */
function argumentsOf(calls: number, length: number): string[][] {
  return Array.from({ length: calls }, () => {
    const rows: object[] = [];
    for (let size = 12; size < length; size += JSON.stringify(rows.at(-1)).length + 1) {
      rows.push({ id: rows.length, name: `name ${rows.length}` });
    }
    return JSON.stringify({ rows }).match(/.{1,12}/g) ?? [];
  });
}

function chatChunks(calls: readonly (readonly string[])[]): OpenAIChatChunk[] {
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    id: "x",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices: [{ index: 0, delta, finish_reason, logprobs: null }],
  });
  const chunks = calls.flatMap((fragments, index) => [
    chunk({
      role: "assistant",
      tool_calls: [{ index, id: `call_${index}`, type: "function", function: { name: "f", arguments: "" } }],
    }),
    ...fragments.map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
  ]);
  return parsed([...chunks, chunk({}, "tool_calls")]);
}

function anthropicChunks(calls: readonly (readonly string[])[]): AnthropicChunk[] {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = {
    id: "m",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    usage,
  };
  return parsed([
    { type: "message_start", message },
    ...calls.flatMap((fragments, index) => [
      {
        type: "content_block_start",
        index,
        content_block: { type: "tool_use", id: `toolu_${index}`, name: "f", input: {} },
      },
      ...fragments.map((partial_json) => ({
        type: "content_block_delta",
        index,
        delta: { type: "input_json_delta", partial_json },
      })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason: "tool_use", stop_sequence: null }, usage },
    { type: "message_stop" },
  ]);
}

/** A language model's own parts, as AI SDK providers give them. */
function modelParts(calls: readonly (readonly string[])[]) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return [
    { type: "stream-start" as const, warnings: [] },
    ...calls.flatMap((fragments, at) => {
      const id = `call_${at}`;
      return [
        { type: "tool-input-start" as const, id, toolName: "f" },
        ...fragments.map((delta) => ({ type: "tool-input-delta" as const, id, delta })),
        { type: "tool-input-end" as const, id },
        { type: "tool-call" as const, toolCallId: id, toolName: "f", input: fragments.join("") },
      ];
    }),
    { type: "finish" as const, finishReason: { unified: "tool-calls" as const, raw: "tool_calls" }, usage },
  ];
}

/** Through JSON, as a client reads them: literals of one place would share their hidden classes. */
function parsed<T>(chunks: readonly object[]): T[] {
  return chunks.map((chunk) => JSON.parse(JSON.stringify(chunk)) as T);
}

function calls<Chunk>(
  chunks: readonly Chunk[],
  decoder: () => OperatorFunction<Chunk, Delta>,
  count: number,
) {
  return () => {
    let seen = 0;
    from(chunks)
      .pipe(decoder(), toToolCalls())
      .subscribe(({ status }) => {
        if (status === "complete") seen++;
      });
    if (seen !== count) throw new Error(`${seen} calls instead of ${count}`);
  };
}

function answer<Chunk>(
  chunks: readonly Chunk[],
  decoder: () => OperatorFunction<Chunk, Delta>,
): Observable<AGUIEvent> {
  return concat(
    of({ type: EventType.RUN_STARTED, threadId: "t", runId: "r" } as const),
    from(chunks).pipe(decoder(), toEvents()),
    of({ type: EventType.RUN_FINISHED, threadId: "t", runId: "r" } as const),
  );
}

const verified = (chunks: readonly OpenAIChatChunk[]) => () => {
  let seen = 0;
  answer(chunks, openaiChat)
    .pipe(verify())
    .subscribe({
      next: () => seen++,
      error: (error: unknown) => {
        throw error;
      },
    });
  if (seen < chunks.length / 2) throw new Error(`${seen} events of ${chunks.length} chunks`);
};

const parse = (texts: readonly string[]) => () => {
  for (const text of texts) JSON.parse(text);
};

const bodyOf = (texts: readonly string[]) =>
  new ReadableStream({
    start(controller) {
      const encoder = new TextEncoder();
      for (const text of texts) controller.enqueue(encoder.encode(text + "\n"));
      controller.close();
    },
  });

const shapes = [
  ["40 calls of 3 kB", argumentsOf(40, 3_000)],
  ["one call of 256 kB", argumentsOf(1, 256_000)],
] as const;

for (const [shape, fragments] of shapes) {
  const chat = chatChunks(fragments);
  const chatTexts = chat.map((chunk) => JSON.stringify(chunk));
  await bench(
    `chunks of OpenAI to tool calls: ${shape} in fragments of 12 characters`,
    async ({ race, ratio }) => {
      const times = await race(
        {
          "openaiChat, toToolCalls": calls(chat, openaiChat, fragments.length),
          "JSON.parse": parse(chatTexts),
          ChatCompletionStream: async () => {
            await ChatCompletionStream.fromReadableStream(bodyOf(chatTexts)).done();
          },
        },
        { count: chat.length, unit: "chunk", rounds: 5 },
      );
      const helper = times["ChatCompletionStream"] - times["JSON.parse"];
      ratio("calls, of the helper less its parsing", times["openaiChat, toToolCalls"], helper, {
        atMost: 1 / 6,
      });
    },
  );

  const messages = anthropicChunks(fragments);
  const messageTexts = messages.map((chunk) => JSON.stringify(chunk));
  await bench(`chunks of Anthropic to tool calls: ${shape}`, async ({ race, ratio }) => {
    const times = await race(
      {
        "anthropic, toToolCalls": calls(messages, anthropic, fragments.length),
        "JSON.parse": parse(messageTexts),
        MessageStream: async () => {
          await MessageStream.fromReadableStream(bodyOf(messageTexts)).done();
        },
      },
      { count: messages.length, unit: "chunk", rounds: 5, warmup: 50 },
    );
    const helper = times["MessageStream"] - times["JSON.parse"];
    ratio("calls, of the helper less its parsing", times["anthropic, toToolCalls"], helper, {
      atMost: 1 / 6,
    });
  });
}

await bench("parts of the AI SDK to tool calls: 40 calls of 3 kB", async ({ race, ratio }) => {
  const parts = modelParts(shapes[0][1]);
  // The SDK's own types do not compile with exactOptionalPropertyTypes.
  const tools = { f: tool({ inputSchema: jsonSchema({ type: "object" }) }) } as ToolSet;
  const times = await race(
    {
      "aiSdk, toToolCalls": calls<AiSdkChunk>(parts, aiSdk, 40),
      streamText: async () => {
        const model = new MockLanguageModelV3({
          doStream: () => Promise.resolve({ stream: convertArrayToReadableStream(parts) }),
        });
        const { toolCalls } = streamText({ model, tools, prompt: "x" });
        if ((await toolCalls).length !== 40) throw new Error("not 40 calls");
      },
    },
    { count: parts.length, unit: "part", rounds: 3, warmup: 0 },
  );
  ratio("calls, of streamText", times["aiSdk, toToolCalls"], times["streamText"]);
});

await bench("events to tool calls: TanStack AI, one call of 32 kB", async ({ race, ratio }) => {
  const fragments = argumentsOf(1, 32_000);
  const chat = chatChunks(fragments);
  const events: AGUIEvent[] = [];
  answer(chat, openaiChat).subscribe((event) => events.push(event));
  const times = await race(
    {
      "openaiChat, toToolCalls": calls(chat, openaiChat, 1),
      StreamProcessor: () => {
        const processor = new StreamProcessor();
        for (const event of events) processor.processChunk(event as unknown as StreamChunk);
      },
    },
    { count: chat.length, unit: "chunk", rounds: 3, warmup: 0 },
  );
  ratio("calls, of StreamProcessor", times["openaiChat, toToolCalls"], times["StreamProcessor"]);
});

await bench("chunks of OpenAI to verified events", async ({ race, ratio, growth }) => {
  const chat = chatChunks(argumentsOf(40, 3_000));
  const texts = chat.map((chunk) => JSON.stringify(chunk));
  const times = await race(
    { "JSON.parse": parse(texts), "openaiChat, toEvents, verify": verified(chat) },
    { count: chat.length, unit: "chunk" },
  );
  ratio(
    "events, of JSON.parse of the same chunks",
    times["openaiChat, toEvents, verify"],
    times["JSON.parse"],
    {
      atMost: 1 / 2,
    },
  );
  await growth(
    "arguments ten times as long",
    (size) => verified(chatChunks(argumentsOf(1, size))),
    [25_600, 256_000],
    {
      atMost: Math.log10(11),
    },
  );
  await growth(
    "ten times as many calls",
    (size) => verified(chatChunks(argumentsOf(size, 300))),
    [100, 1_000],
    {
      atMost: Math.log10(11),
    },
  );
});
