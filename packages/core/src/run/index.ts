export * from "./open-handles.js";
export * from "./open-tool-call.js";
export * from "./run-closed-error.js";
export * from "./run-context.js";
export * from "./run-options.js";
export * from "./run-usage-error.js";
export * from "./run.js";
