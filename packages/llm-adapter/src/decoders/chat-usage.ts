import type { TokenUsage } from "@agrx/core";
import { sumOf, tokenUsage } from "./token-count.js";

/** Token counts as chat completions give them. */
export interface ChatUsage {
  readonly prompt_tokens?: number | null | undefined;
  readonly completion_tokens?: number | null | undefined;
  readonly total_tokens?: number | null | undefined;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null | undefined } | null | undefined;
  readonly completion_tokens_details?:
    { readonly reasoning_tokens?: number | null | undefined } | null | undefined;
  /** Moonshot's place for what the cache gave. */
  readonly cached_tokens?: number | null | undefined;
  /** DeepSeek's. */
  readonly prompt_cache_hit_tokens?: number | null | undefined;
}

/** Reads the usage of chat completions; inputs and outputs are totals, which hold their parts. */
export function readChatUsage(usage: ChatUsage, provider: string, model: string | undefined): TokenUsage {
  const { prompt_tokens: input, completion_tokens: completion, total_tokens: totalTokens } = usage;
  const { cached_tokens, prompt_cache_hit_tokens } = usage;
  const reasoningTokens = usage.completion_tokens_details?.reasoning_tokens;
  const withReasoning = sumOf(completion, reasoningTokens);
  // xAI counts reasoning beside the completion, not in it; the total tells.
  const apart = reasoningTokens !== 0 && sumOf(input, withReasoning) === totalTokens;
  return tokenUsage(provider, model, {
    inputTokens: input,
    outputTokens: apart ? withReasoning : completion,
    totalTokens,
    reasoningTokens,
    cachedInputTokens: usage.prompt_tokens_details?.cached_tokens ?? cached_tokens ?? prompt_cache_hit_tokens,
  });
}
