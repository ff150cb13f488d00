export { agent, type AgentOptions } from "./agent.js";
export { MaxTurnsError } from "./max-turns-error.js";
export type { RetryOptions } from "./retry-before-first.js";
