/**
 * LLM provider streams as AG-UI events: decoders, tool calls, requests and the agent loop.
 *
 * @packageDocumentation
 */
export * from "./delta.js";
export * from "./provider-error.js";
export * from "./decoders/index.js";
export * from "./to-chunks.js";
export * from "./to-events.js";
export * from "./to-tool-calls.js";
export * from "./requests/index.js";
export * from "./agent/index.js";
export * from "./models/index.js";
