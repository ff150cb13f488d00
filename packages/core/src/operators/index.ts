export * from "./chunk-lanes.js";
export * from "./expand-chunks.js";
