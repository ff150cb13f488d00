export * from "./completed-tool-calls.js";
export * from "./group-tool-calls.js";
export * from "./run-view.js";
export * from "./scan-messages.js";
export * from "./scan-run.js";
export * from "./scan-state.js";
