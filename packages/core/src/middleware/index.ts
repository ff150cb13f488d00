/**
 * What stands around a run: time limits, redaction, usage, logs and recordings.
 *
 * @packageDocumentation
 */
export * from "./log-events.js";
export * from "./middleware.js";
export * from "./record-run.js";
export * from "./redact.js";
export * from "./replay-run.js";
export * from "./tap-usage.js";
export * from "./with-timeout.js";
