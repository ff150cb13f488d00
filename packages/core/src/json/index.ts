export * from "./json-accumulator.js";
export * from "./json-text-error.js";
export * from "./read-arguments.js";
export * from "./partial-json.js";
