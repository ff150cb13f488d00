/**
 * The ordering rules of AG-UI: an operator, a linter, a mender and the state machine behind them.
 *
 * @packageDocumentation
 */
export * from "./create-verifier.js";
export * from "./diagnose.js";
export * from "./options.js";
export * from "./verify.js";
export { isOrderingError, OrderingError } from "@agrx/core";
export type { OpenEntity, RuleId, Violation } from "@agrx/core";
