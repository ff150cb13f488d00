/**
 * Matchers for runs, for jest and vitest.
 *
 * @packageDocumentation
 */
export * from "./matchers.js";
