import type { TokenUsage } from "@agrx/core";

type Count = Exclude<keyof TokenUsage, "provider" | "model">;

/** Makes a usage of a provider's counts; what is no number was not reported, which is not the same as 0. */
export function tokenUsage(
  provider: string,
  model: string | undefined,
  counts: { readonly [C in Count]?: unknown },
): TokenUsage {
  const usage: TokenUsage = { provider, ...(model ? { model } : {}) };
  for (const [name, count] of Object.entries(counts)) {
    if (typeof count === "number" && Number.isFinite(count)) usage[name as Count] = count;
  }
  return usage;
}

/** The sum of what was reported; undefined when nothing was. */
export function sumOf(...counts: readonly unknown[]): number | undefined {
  const reported = counts.filter((count) => typeof count === "number");
  return reported.length === 0 ? undefined : reported.reduce((sum, count) => sum + count, 0);
}
