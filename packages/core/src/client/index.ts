export { connect, type Connection, type ConnectOptions } from "./connect.js";
export {
  conversation,
  type Conversation,
  type ConversationOptions,
  type ConversationStart,
} from "./conversation.js";
export type { ConversationView } from "./conversation-view.js";
export type { OutgoingInputOptions } from "./outgoing-input.js";
export { resumeInput, type InterruptedRun, type ResumeInputOptions } from "./resume-input.js";
export type { RetryOptions } from "./retry-policy.js";
