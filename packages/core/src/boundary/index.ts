export * from "./invalid-event-error.js";
export * from "./invalid-input-error.js";
export * from "./parse-events.js";
export * from "./parse-run-input.js";
