import { anthropic, type AnthropicChunk } from "../decoders/anthropic.js";
import { toAnthropic } from "../requests/to-anthropic.js";
import { modelFrom, type Model } from "./model.js";

/** The part of the `@anthropic-ai/sdk` client that {@link anthropicMessages} calls. */
export interface AnthropicClient {
  readonly messages: {
    create(
      body: never,
      options?: { signal?: AbortSignal; maxRetries?: number },
    ): PromiseLike<AsyncIterable<AnthropicChunk>>;
  };
}

/** What is sent with every request; `messages`, `system`, `stream` and the tools of the request are added. */
export interface AnthropicParams {
  readonly model: string;
  readonly max_tokens: number;
  readonly [param: string]: unknown;
}

/**
 * A model behind Anthropic's Messages API, through the official SDK.
 *
 * The SDK's own retries are off: `agent({ retry })` retries, before the first delta only.
 *
 * @param client - an `Anthropic` of the package `@anthropic-ai/sdk`
 * @param params - model, `max_tokens` and settings; `tools` are added to
 *
 * @example
 * ```ts
 * import { agent, anthropicMessages } from "@agrx/llm-adapter";
 * import Anthropic from "@anthropic-ai/sdk";
 *
 * const client = new Anthropic({ apiKey: "..." });
 * const assistant = agent({ model: anthropicMessages(client, { model: "claude-sonnet-5", max_tokens: 1024 }) });
 * console.log(typeof assistant); // function
 * ```
 */
export function anthropicMessages(client: AnthropicClient, params: AnthropicParams): Model {
  return modelFrom(
    (request, signal) => {
      const { tools = [], ...rest } = toAnthropic(request);
      const all = [...((params["tools"] as unknown[] | undefined) ?? []), ...tools];
      const body = { ...params, ...rest, ...(all.length > 0 ? { tools: all } : {}), stream: true };
      return client.messages.create(body as never, { signal, maxRetries: 0 });
    },
    anthropic(),
    { provider: "anthropic" },
  );
}
