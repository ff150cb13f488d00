export * from "./anthropic-messages.js";
export * from "./google-gen-ai.js";
export * from "./model.js";
export * from "./openai.js";
export * from "./to-provider-error.js";
