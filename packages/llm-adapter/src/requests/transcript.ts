import {
  PROVIDER_EXECUTED,
  type AssistantMessage,
  type ContentPart,
  type MessageToolCall,
  type ReasoningMessage,
  type ToolMessage,
  type Warning,
} from "@agrx/core";
import { metadataKeys } from "../metadata-keys.js";
import type { ModelRequest } from "./model-request.js";

/** A call together with what it was answered with. */
export interface AnsweredCall {
  readonly call: MessageToolCall;
  readonly result: string | readonly ContentPart[];
  readonly isError: boolean;
}

/** A call that the provider ran itself, and what it gave where that has come. */
export interface HostedCall {
  readonly call: MessageToolCall;
  readonly answer: ToolMessage | undefined;
}

/** What the user said. */
export interface UserTurn {
  readonly role: "user";
  readonly content: string | readonly ContentPart[];
  readonly name?: string;
}

/** What the model said: its reasoning, its text, its calls and their answers. */
export interface AssistantTurn {
  readonly role: "assistant";
  readonly text: string;
  readonly reasoning: readonly ReasoningMessage[];
  readonly calls: readonly AnsweredCall[];
  /** The calls that were the provider's own: only it can make sense of them again. */
  readonly hosted: readonly HostedCall[];
  /** The message itself, with its metadata and encrypted value. */
  readonly message: AssistantMessage;
  readonly name?: string;
}

/** A conversation as every provider sees it: the system's words apart, each call beside its answer. */
export interface Transcript {
  /** Instructions, system and developer messages and context, in this order; empty when there are none. */
  readonly system: string;
  readonly turns: readonly (UserTurn | AssistantTurn)[];
}

/** The answer of a call that nobody answered: providers refuse a history with an open call. */
const notAnswered = "This call was not answered.";

/**
 * Puts AG-UI messages in the order that providers require.
 *
 * - A tool message stands beside its call, wherever it stood; the first answer counts.
 * - A call without an answer is answered with an error that says so.
 * - A tool message without a call is left out, with the warning `orphan-result`.
 * - Text that the model said after its calls (`agrx.continues`) stands with the text before them.
 * - Calls that a provider ran itself stand apart, with their answers: they are no calls of the client's tools.
 * - Reasoning stands on the assistant message that follows it; without one before the next user message
 *   it is left out. Activities are for the user's eyes and are left out.
 */
export function toTranscript(request: ModelRequest, onWarning?: (warning: Warning) => void): Transcript {
  const results = firstResults(request);
  const system = request.instructions ? [request.instructions] : [];
  const turns: (UserTurn | AssistantTurn)[] = [];
  let reasoning: ReasoningMessage[] = [];

  for (const message of request.messages) {
    switch (message.role) {
      case "system":
      case "developer":
        system.push(message.content);
        break;
      case "user":
        reasoning = [];
        turns.push({ role: "user", content: message.content, ...named(message) });
        break;
      case "reasoning":
        reasoning.push(message);
        break;
      case "assistant": {
        const continued = turns.findIndex((turn) => isContinued(turn, message));
        const before = turns[continued];
        if (before?.role === "assistant") {
          const text = before.text + (message.content ?? "");
          turns[continued] = { ...before, text, reasoning: [...before.reasoning, ...reasoning] };
          reasoning = [];
          break;
        }
        turns.push({
          role: "assistant",
          text: message.content ?? "",
          reasoning,
          calls: callsOf(message, false).map((call) => answered(call, results.get(call.id))),
          hosted: callsOf(message, true).map((call) => ({ call, answer: results.get(call.id) })),
          message,
          ...named(message),
        });
        reasoning = [];
        break;
      }
      default:
        break;
    }
  }
  warnOfOrphans(request, results, onWarning);
  for (const { description, value } of request.context ?? []) system.push(`${description}: ${value}`);
  return { system: system.join("\n\n"), turns };
}

function firstResults({ messages }: ModelRequest): Map<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (const message of messages) {
    if (message.role === "tool" && !results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  return results;
}

/** Whether a message is text that the model said after the calls of a turn: no answer stands between them. */
function isContinued(turn: UserTurn | AssistantTurn, { metadata, toolCalls }: AssistantMessage): boolean {
  const continues: unknown = metadata?.[metadataKeys.continues];
  return (
    continues !== undefined &&
    !toolCalls?.length &&
    turn.role === "assistant" &&
    turn.message.id === continues
  );
}

function callsOf({ toolCalls = [] }: AssistantMessage, hosted: boolean): MessageToolCall[] {
  return toolCalls.filter(({ metadata }) => (metadata?.[PROVIDER_EXECUTED] === true) === hosted);
}

function answered(call: MessageToolCall, result: ToolMessage | undefined): AnsweredCall {
  if (!result) return { call, result: notAnswered, isError: true };
  const isError = result.error !== undefined;
  return { call, result: (result.content === "" && result.error) || result.content, isError };
}

function named({ name }: { name?: string }): { name?: string } {
  return name === undefined ? {} : { name };
}

function warnOfOrphans(
  { messages }: ModelRequest,
  results: ReadonlyMap<string, ToolMessage>,
  onWarning: ((warning: Warning) => void) | undefined,
): void {
  if (!onWarning) return;
  const called = new Set(
    messages.flatMap((message) => (message as AssistantMessage).toolCalls?.map((call) => call.id) ?? []),
  );
  for (const id of results.keys()) {
    if (called.has(id)) continue;
    onWarning({
      code: "orphan-result",
      id,
      message: `The tool message for call "${id}" answers no call of these messages and was left out. Send the assistant message with the call before it.`,
    });
  }
}
