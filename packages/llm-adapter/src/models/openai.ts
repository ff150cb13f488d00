import { openaiChat, type OpenAIChatChunk } from "../decoders/openai-chat.js";
import { toOpenAI, type ToOpenAIOptions } from "../requests/to-openai.js";
import { modelFrom, type Model } from "./model.js";

/** The part of the `openai` SDK's client that {@link openai} calls. */
export interface OpenAIClient {
  readonly chat: {
    readonly completions: {
      create(
        body: never,
        options?: { signal?: AbortSignal; maxRetries?: number },
      ): PromiseLike<AsyncIterable<OpenAIChatChunk>>;
    };
  };
}

/** What is sent with every request; `messages`, `stream` and the tools of the request are added. */
export interface OpenAIParams {
  readonly model: string;
  readonly [param: string]: unknown;
}

/**
 * A model behind OpenAI's Chat Completions, or any server that speaks it, through the official SDK.
 *
 * The SDK's own retries are off: `agent({ retry })` retries, before the first delta only.
 *
 * @param client - an `OpenAI` of the package `openai`
 * @param params - model and settings, such as `{ model: "gpt-4o-mini", temperature: 0 }`; `tools` are added to
 * @param options - what a compatible server wants otherwise, such as `{ reasoning: "reasoning_content" }`
 *
 * @example
 * ```ts
 * import { agent, openai } from "@agrx/llm-adapter";
 * import OpenAI from "openai";
 *
 * const model = openai(new OpenAI({ apiKey: "..." }), { model: "gpt-4o-mini", temperature: 0 });
 * const assistant = agent({ model });
 * console.log(typeof assistant); // function
 * ```
 */
export function openai(client: OpenAIClient, params: OpenAIParams, options?: ToOpenAIOptions): Model {
  return modelFrom(
    (request, signal) => {
      const { messages, tools = [] } = toOpenAI(request, options);
      const all = [...((params["tools"] as unknown[] | undefined) ?? []), ...tools];
      const body = {
        stream_options: { include_usage: true },
        ...params,
        ...(all.length > 0 ? { tools: all } : {}),
        messages,
        stream: true,
      };
      return client.chat.completions.create(body as never, { signal, maxRetries: 0 });
    },
    openaiChat(),
    { provider: "openai" },
  );
}
