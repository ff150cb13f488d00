export * from "./chunk-lanes.js";
