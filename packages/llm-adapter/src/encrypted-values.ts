/**
 * What an encrypted value is, as `encryptedValueType` tells it (AG-UI 1.1 events/reasoning): who made it, and
 * where it stands in that provider's messages.
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
  | "mistral.signature"
  | "openai.encrypted_content"
  // Chat completions name none: these are Google's by its OpenAI endpoint, and OpenRouter's `reasoning_details`.
  | "openai.thought_signature"
  | "openrouter.reasoning.text"
  | "openrouter.reasoning.summary"
  | "openrouter.reasoning.encrypted";

/** The fields of a delta that holds an encrypted value. */
export interface EncryptedFields {
  readonly encryptedValue: string;
  readonly encryptedValueType: EncryptedValueType;
}

/** Makes the fields of a value that a provider sent; undefined when it sent none. */
export function encryptedFields(value: unknown, type: EncryptedValueType): EncryptedFields | undefined {
  if (typeof value !== "string" || value === "") return undefined;
  return { encryptedValue: value, encryptedValueType: type };
}

/** The encrypted value of a message or a call, when it is of one of the given types, or of none. */
export function encryptedValueOf(item: object, ...types: readonly EncryptedValueType[]): string | undefined {
  const { encryptedValue, encryptedValueType } = item as Partial<Record<keyof EncryptedFields, string>>;
  if (encryptedValueType === undefined) return encryptedValue;
  return (types as readonly string[]).includes(encryptedValueType) ? encryptedValue : undefined;
}
