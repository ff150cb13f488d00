/**
 * Tests of agents without a provider.
 *
 * @packageDocumentation
 */
export * from "./fake-model.js";
