/**
 * The ordering rules of AG-UI: an operator, a linter, a mender and the state machine behind them.
 *
 * @packageDocumentation
 */
export * from "./create-verifier.js";
export * from "./diagnose.js";
export * from "./offered-tools-only.js";
export * from "./options.js";
export * from "./repair.js";
export * from "./repair-report.js";
export * from "./rules/index.js";
export * from "./verify.js";
export { isOrderingError, OrderingError } from "@agrx/core";
export type { OpenEntity, RuleId, Violation } from "@agrx/core";
