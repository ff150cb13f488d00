export * from "./vocabulary.js";
export type { AGUIEvent as Event } from "./vocabulary.js";
export * from "./events.js";
export * from "./lifecycle.js";
export * from "./of-type.js";
export * from "./ordering-error.js";
export * from "./quote-id.js";
export * from "./run-scope.js";
export * from "./warning.js";
