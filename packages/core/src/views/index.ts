export * from "./run-view.js";
export * from "./scan-messages.js";
export * from "./scan-run.js";
export * from "./scan-state.js";
