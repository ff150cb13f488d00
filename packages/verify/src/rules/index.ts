export * from "./rule.js";
export * from "./rules.js";
