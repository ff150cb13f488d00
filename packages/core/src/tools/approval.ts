import { defer, from, map, of, type Observable } from "rxjs";
import { presentFields } from "../protocol/present-fields.js";
import type { RunScope } from "../protocol/run-scope.js";
import type { ResumeEntry } from "../protocol/vocabulary.js";
import { isPromiseLike } from "../stream/event-source.js";
import type { Permission } from "./answer-tool-call.js";
import { ResumeError } from "./resume-error.js";
import type { EndedCall } from "./tool-call-collector.js";
import type { ExecutableTool } from "./tool.js";

const APPROVAL_PREFIX = "approve-";

/** The `reason` of an interrupt that asks for a call's approval; the protocol's own word for it. */
export const APPROVAL_REASON = "tool_call";

/**
 * The id of the interrupt that asks for a call's approval: `approve-<toolCallId>`.
 *
 * @param toolCallId - the call that waits
 *
 * @example
 * ```ts
 * import { approvalInterruptId } from "@agrx/core";
 *
 * const answer = { interruptId: approvalInterruptId("call-1"), status: "resolved", payload: { approved: true } };
 * console.log(answer.interruptId); // approve-call-1
 * ```
 */
export function approvalInterruptId(toolCallId: string): string {
  return APPROVAL_PREFIX + toolCallId;
}

/** The call whose approval an interrupt asks for; undefined for any other interrupt. */
export function callToApprove(interruptId: string): string | undefined {
  return interruptId.startsWith(APPROVAL_PREFIX) ? interruptId.slice(APPROVAL_PREFIX.length) : undefined;
}

/** Asks the tool whether this call has to be approved. */
export function needsApproval(tool: ExecutableTool, args: unknown): Observable<boolean> {
  return defer(() => {
    const { needsApproval: needed = false } = tool;
    const answer = typeof needed === "function" ? needed(args) : needed;
    return isPromiseLike(answer) ? from(answer) : of(answer);
  }).pipe(map(Boolean));
}

/** Lets a call run that needs no approval; for any other the run asks, and the call waits. */
export function permitOrAsk(
  call: EndedCall,
  args: unknown,
  context: RunScope | undefined,
): Observable<Permission> {
  return needsApproval(call.tool, args).pipe(
    map((needed) => {
      if (!needed) return "run";
      askForApproval(call, context);
      return "wait";
    }),
  );
}

/** Raises the interrupt that asks for a call's approval. */
export function askForApproval({ id, tool, subagentRunId }: EndedCall, context: RunScope | undefined): void {
  const interrupt = {
    id: approvalInterruptId(id),
    reason: APPROVAL_REASON,
    toolCallId: id,
    message: `May ${tool.name} run?`,
    responseSchema: {
      type: "object",
      properties: { approved: { type: "boolean" }, reason: { type: "string" } },
      required: ["approved"],
      additionalProperties: false,
    },
    subagentRunId,
  };
  context?.interrupt(presentFields(interrupt));
}

/**
 * What the client answered: to run the call, or not.
 *
 * @throws ResumeError `invalid-answer` when the payload is neither a boolean nor what was asked for; what
 * was not understood is never acted on
 */
export function permissionOf({ interruptId, status, payload }: ResumeEntry): Permission {
  if (status === "cancelled") return { declined: undefined };
  const { approved, reason, ...rest } = (
    typeof payload === "boolean" ? { approved: payload } : (payload ?? {})
  ) as Record<string, unknown>;
  if (typeof approved !== "boolean" || Object.keys(rest).length > 0) {
    throw new ResumeError(
      "invalid-answer",
      interruptId,
      "takes `{ approved: boolean, reason?: string }`. Nothing was run.",
    );
  }
  return approved ? "run" : { declined: typeof reason === "string" ? reason : undefined };
}
