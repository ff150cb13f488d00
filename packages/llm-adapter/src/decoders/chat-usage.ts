import type { TokenUsage } from "@agrx/core";

/** Token counts as chat completions give them. */
export interface ChatUsage {
  readonly prompt_tokens?: number | null | undefined;
  readonly completion_tokens?: number | null | undefined;
  readonly total_tokens?: number | null | undefined;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number | null | undefined } | null | undefined;
  readonly completion_tokens_details?:
    { readonly reasoning_tokens?: number | null | undefined } | null | undefined;
}

/** Reads the usage of chat completions; inputs and outputs are totals, which hold their parts. */
export function readChatUsage(usage: ChatUsage, provider: string, model: string | undefined): TokenUsage {
  const input = count(usage.prompt_tokens);
  const completion = count(usage.completion_tokens);
  const total = count(usage.total_tokens);
  const reasoning = count(usage.completion_tokens_details?.reasoning_tokens);
  const cached = count(usage.prompt_tokens_details?.cached_tokens);
  // xAI counts reasoning beside the completion, not in it; the total tells.
  const apart =
    input !== undefined && completion !== undefined && input + completion + (reasoning ?? 0) === total;
  const output = completion !== undefined && apart ? completion + (reasoning ?? 0) : completion;
  return {
    provider,
    ...(model !== undefined && model !== "" && { model }),
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
    ...(total !== undefined && { totalTokens: total }),
    ...(reasoning !== undefined && { reasoningTokens: reasoning }),
    ...(cached !== undefined && { cachedInputTokens: cached }),
  };
}

function count(tokens: unknown): number | undefined {
  return typeof tokens === "number" && Number.isFinite(tokens) ? tokens : undefined;
}
