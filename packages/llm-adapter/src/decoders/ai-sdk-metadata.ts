import type { Metadata } from "@agrx/core";
import { encryptedFields, type EncryptedFields, type EncryptedValueType } from "../encrypted-values.js";
import { metadataKeys } from "../metadata-keys.js";

/** What the AI SDK keeps for a provider, by the provider's name. */
export type ProviderMetadata = Readonly<Record<string, Readonly<Record<string, unknown>> | null | undefined>>;

/** What a delta carries of it: the value that goes back to the provider, and the id of the item it came from. */
export interface KeptMetadata extends Partial<EncryptedFields> {
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
  ["xai", "reasoningEncryptedContent", "openai.encrypted_content"],
];

/** Finds what the next request must send back. */
export function keptMetadata(given: ProviderMetadata | undefined): KeptMetadata {
  if (given === undefined) return {};
  const encrypted = places.map(([provider, field, type]) => encryptedFields(given[provider]?.[field], type));
  const itemIds = places.map(([provider]) => given[provider]?.["itemId"]);
  const itemId = itemIds.find((id) => typeof id === "string");
  return {
    ...encrypted.find((fields) => fields !== undefined),
    ...(itemId !== undefined && { metadata: { [metadataKeys.openaiItemId]: itemId } }),
  };
}
