export * from "./chunk-lanes.js";
export * from "./compact.js";
export * from "./expand-chunks.js";
