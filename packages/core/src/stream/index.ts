export * from "./from-async-iterable.js";
export * from "./stateful.js";
