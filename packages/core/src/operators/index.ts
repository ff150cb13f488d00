export * from "./batch-events.js";
export * from "./chunk-lanes.js";
export * from "./compact.js";
export * from "./expand-chunks.js";
export * from "./ordered-tool-calls.js";
export * from "./whole-tool-calls.js";
