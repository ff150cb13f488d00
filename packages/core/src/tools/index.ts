export { answerClientTools, type AnswerClientToolsOptions, type FinishedRun } from "./answer-client-tools.js";
export type { ToolRunOptions } from "./answer-tool-call.js";
export { APPROVAL_REASON, approvalInterruptId } from "./approval.js";
export { executeTools, type ExecuteToolsOptions } from "./execute-tools.js";
export { PROVIDER_EXECUTED } from "./provider-executed.js";
export { ResumeError, type ResumeErrorCode } from "./resume-error.js";
export { resumeTools, type ResumeToolsOptions } from "./resume-tools.js";
export {
  tool,
  toProtocolTool,
  type ExecutableTool,
  type JsonSchema,
  type NeedsApproval,
  type RunningToolCall,
  type ToolExecution,
  type ToolOptions,
} from "./tool.js";
export type { ToolCall, ToolCallStatus } from "./tool-call.js";
export { TOOL_ERROR_METADATA, ToolError, type ToolErrorCode } from "./tool-error.js";
export { ToolUsageError, type ToolUsageErrorCode } from "./tool-usage-error.js";
