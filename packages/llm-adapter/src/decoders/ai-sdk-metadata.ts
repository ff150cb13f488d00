import type { Metadata } from "@agrx/core";
import type { EncryptedValueType } from "../encrypted-values.js";

/** What the AI SDK keeps for a provider, by the provider's name. */
export type ProviderMetadata = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/** What a delta carries of it: the value that goes back to the provider, and what it is. */
export interface Sealed {
  readonly encryptedValue: string;
  readonly encryptedValueType: EncryptedValueType;
  readonly metadata?: Metadata;
}

/** Where each provider's values stand. */
const places: readonly (readonly [provider: string, field: string, type: EncryptedValueType])[] = [
  ["anthropic", "signature", "anthropic.signature"],
  ["anthropic", "redactedData", "anthropic.redacted_thinking"],
  ["bedrock", "signature", "bedrock.signature"],
  ["bedrock", "redactedData", "bedrock.redacted_content"],
  ["google", "thoughtSignature", "google.thought_signature"],
  ["vertex", "thoughtSignature", "google.thought_signature"],
  ["openai", "reasoningEncryptedContent", "openai.encrypted_content"],
  ["azure", "reasoningEncryptedContent", "openai.encrypted_content"],
];

/** Finds the value that the next request must send back; undefined when there is none. */
export function sealedBy(metadata: ProviderMetadata | undefined): Sealed | undefined {
  if (metadata === undefined) return undefined;
  for (const [provider, field, encryptedValueType] of places) {
    const encryptedValue = metadata[provider]?.[field];
    if (typeof encryptedValue !== "string" || encryptedValue === "") continue;
    const itemId = metadata[provider]?.["itemId"];
    return {
      encryptedValue,
      encryptedValueType,
      ...(typeof itemId === "string" && { metadata: { "openai.itemId": itemId } }),
    };
  }
  return undefined;
}
