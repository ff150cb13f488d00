/**
 * What an encrypted value is, as `encryptedValueType` tells it (AG-UI 1.1 events/reasoning).
 *
 * A value goes back only to the provider that made it. A value of no type, as AG-UI 1.0 carries it, is
 * taken for the asked provider's own.
 */
export type EncryptedValueType =
  | "anthropic.signature"
  | "anthropic.redacted_thinking"
  | "bedrock.signature"
  | "bedrock.redacted_content"
  | "google.thought_signature"
  | "openai.encrypted_content";

/** What may carry an encrypted value: a reasoning message or a tool call. */
export interface Encrypted {
  readonly encryptedValue?: string;
  readonly encryptedValueType?: string;
}

/** The encrypted value of one of the given types, or of none. */
export function encryptedValueOf(item: object, ...types: readonly EncryptedValueType[]): string | undefined {
  const { encryptedValue, encryptedValueType } = item as Encrypted;
  if (encryptedValueType === undefined) return encryptedValue;
  return (types as readonly string[]).includes(encryptedValueType) ? encryptedValue : undefined;
}
