export { connect, type Connection, type ConnectOptions } from "./connect.js";
export type { OutgoingInputOptions } from "./outgoing-input.js";
export { resumeInput, type InterruptedRun, type ResumeInputOptions } from "./resume-input.js";
export type { RetryOptions } from "./retry-policy.js";
