export type { DecoderOptions, UnknownPart } from "./decoder-options.js";
export * from "./openai-chat.js";
export * from "./anthropic.js";
