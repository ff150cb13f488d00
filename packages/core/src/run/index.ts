export * from "./open-handles.js";
export * from "./open-tool-call.js";
export * from "./run-context.js";
export * from "./run-options.js";
