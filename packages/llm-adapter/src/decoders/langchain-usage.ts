import type { TokenUsage } from "@agrx/core";
import { sumOf, tokenUsage } from "./token-count.js";

/** A message's token counts, as LangChain gives them. */
export interface LangChainUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly total_tokens?: number;
  readonly input_token_details?: { readonly cache_read?: number; readonly cache_creation?: number };
  readonly output_token_details?: { readonly reasoning?: number };
}

/** The usage of all runs so far. */
export interface LangChainUsageSum {
  add(usage: LangChainUsage): TokenUsage;
}

/** Adds usages up: LangChain's chunks carry what they add, where providers repeat the total. */
export function addLangChainUsage(provider: string): LangChainUsageSum {
  let sum: TokenUsage = { provider };
  return {
    add(usage) {
      sum = tokenUsage(provider, undefined, {
        inputTokens: sumOf(sum.inputTokens, usage.input_tokens),
        outputTokens: sumOf(sum.outputTokens, usage.output_tokens),
        totalTokens: sumOf(sum.totalTokens, usage.total_tokens),
        reasoningTokens: sumOf(sum.reasoningTokens, usage.output_token_details?.reasoning),
        cachedInputTokens: sumOf(sum.cachedInputTokens, usage.input_token_details?.cache_read),
        cacheWriteInputTokens: sumOf(sum.cacheWriteInputTokens, usage.input_token_details?.cache_creation),
      });
      return sum;
    },
  };
}
