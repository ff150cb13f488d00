/**
 * What tests of agents and clients are written with.
 *
 * @packageDocumentation
 */
export * from "./cut-everywhere.js";
export { events, type TestingEventFactories } from "./events.js";
export * from "./marble-values.js";
export * from "./run-marbles.js";
export * from "./to-run-marbles.js";
