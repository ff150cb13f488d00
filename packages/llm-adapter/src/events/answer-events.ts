import {
  EventType,
  PROVIDER_EXECUTED,
  type AGUIEvent,
  type ContentPart,
  type Machine,
  type Metadata,
  type RunScope,
  type TokenUsage,
} from "@agrx/core";
import type { Delta, FinishDelta, ToolCallEndDelta, ToolCallStartDelta, ToolResultDelta } from "../delta.js";
import { metadataKeys } from "../metadata-keys.js";
import { ProviderError } from "../provider-error.js";
import { createEventIds } from "./event-ids.js";
import { createMessageBrackets, encryptedValue, someMetadata } from "./message-brackets.js";

type EmitEvent = (event: AGUIEvent) => void;

/** What {@link createAnswerEvents} takes. */
export interface AnswerEventsOptions {
  readonly context?: RunScope | undefined;
  readonly idPrefix?: string | undefined;
  readonly onFinish?: ((finish: FinishDelta) => void) | undefined;
}

/** A call that was cut: the answer has failed, and the next delta may say why. */
interface BrokenCall {
  readonly id: string;
  readonly name: string;
  readonly truncated: boolean;
  readonly provider: string;
}

interface EventCall {
  readonly id: string;
  readonly name: string;
  readonly providerExecuted: boolean;
}

/** Turns the deltas of one answer into events as they come; calls may interleave. */
export function createAnswerEvents(options: AnswerEventsOptions): Machine<Delta, AGUIEvent> {
  const { context, onFinish } = options;
  const ids = createEventIds(options);
  const messages = createMessageBrackets(ids.nextMessageId);
  const open = new Map<string, EventCall>();
  /** Ids of calls whose results may still come in the stream, by key. */
  const running = new Map<string, string>();
  let usage: TokenUsage | undefined;
  let broken: BrokenCall | undefined;

  const startCall = (delta: ToolCallStartDelta, emit: EmitEvent) => {
    const providerExecuted = delta.providerExecuted === true;
    const id = ids.toolCallId(delta);
    const parentMessageId = messages.holder(providerExecuted, emit);
    open.set(delta.key, { id, name: delta.name, providerExecuted });
    if (providerExecuted || id !== delta.id) running.set(delta.key, id);
    const metadata: Metadata = {
      ...delta.metadata,
      ...(providerExecuted && { [PROVIDER_EXECUTED]: true }),
      ...(delta.custom && { "agrx.custom": true }),
      ...(id !== delta.id && delta.synthetic !== true && { [metadataKeys.providerCallId]: delta.id }),
    };
    emit({
      type: EventType.TOOL_CALL_START,
      toolCallId: id,
      toolCallName: delta.name,
      parentMessageId,
      ...someMetadata(metadata),
    });
    if (delta.encryptedValue !== undefined) {
      emit(encryptedValue("tool-call", id, delta.encryptedValue, delta.encryptedValueType));
    }
  };

  const endCall = (delta: ToolCallEndDelta, emit: EmitEvent) => {
    const call = open.get(delta.key);
    if (call === undefined) return;
    if (delta.status === "incomplete") {
      broken ??= { ...call, truncated: delta.truncated === true, provider: delta.provider ?? "unknown" };
      return;
    }
    open.delete(delta.key);
    emit({ type: EventType.TOOL_CALL_END, toolCallId: call.id });
  };

  const result = (delta: ToolResultDelta, emit: EmitEvent) => {
    messages.close(emit);
    const toolCallId = running.get(delta.key) ?? delta.id;
    if (delta.preliminary) {
      emit({
        type: EventType.CUSTOM,
        name: "agrx.preliminaryResult",
        value: { toolCallId, result: delta.result },
      });
      return;
    }
    running.delete(delta.key);
    messages.nextTurn();
    emit({
      type: EventType.TOOL_CALL_RESULT,
      messageId: ids.nextMessageId(),
      toolCallId,
      role: "tool",
      content: resultContent(delta),
      metadata: {
        ...delta.metadata,
        [PROVIDER_EXECUTED]: true,
        ...(delta.isError && { "agrx.isError": true }),
      },
    });
  };

  /** Closes what it opened, but for calls that are not whole, and fails. */
  const fail = (error: ProviderError, emit: EmitEvent): never => {
    conclude(emit);
    throw error;
  };

  const conclude = (emit: EmitEvent) => {
    messages.end(emit);
    if (usage !== undefined) context?.addUsage(usage);
    usage = undefined;
  };

  return {
    push(delta, emit) {
      if (broken !== undefined && !isAlsoBroken(delta)) {
        fail(delta.type === "error" ? delta.error : incomplete(broken, delta), emit);
      }
      switch (delta.type) {
        case "tool-call-fragment": {
          const call = open.get(delta.key);
          if (call !== undefined) {
            emit({ type: EventType.TOOL_CALL_ARGS, toolCallId: call.id, delta: delta.text });
          }
          break;
        }
        case "text":
          messages.text(delta, emit);
          break;
        case "reasoning":
          messages.reasoning(delta, emit);
          break;
        case "tool-call-start":
          startCall(delta, emit);
          break;
        case "tool-call-end":
          endCall(delta, emit);
          break;
        case "tool-result":
          result(delta, emit);
          break;
        case "usage":
          usage = delta.usage;
          break;
        case "finish":
          // Nothing is closed yet: some servers finish with every chunk (linagora/openrag#462).
          ids.nextAnswer();
          onFinish?.(delta);
          break;
        case "error":
          fail(delta.error, emit);
          break;
        case "custom":
          emit({ type: EventType.CUSTOM, name: delta.name, value: delta.value });
          break;
      }
    },
    end(emit) {
      const call = broken ?? unended(open);
      if (call !== undefined) fail(incomplete(call), emit);
      conclude(emit);
    },
    fail: (_error, emit) => conclude(emit),
  };
}

function resultContent({ content, result }: ToolResultDelta): string | ContentPart[] {
  if (content !== undefined) return [...content];
  return typeof result === "string" ? result : (JSON.stringify(result) ?? "");
}

function isAlsoBroken(delta: Delta): boolean {
  if (delta.type === "tool-call-fragment" || delta.type === "tool-call-start") return true;
  return delta.type === "tool-call-end" && delta.status === "incomplete";
}

/** A call that no end delta came for: only deltas made by hand do so. */
function unended(open: ReadonlyMap<string, EventCall>): BrokenCall | undefined {
  for (const call of open.values()) return { ...call, truncated: true, provider: "unknown" };
  return undefined;
}

function incomplete({ id, name, truncated, provider }: BrokenCall, next?: Delta): ProviderError {
  const why = truncated
    ? "the stream ended"
    : `the answer finished${next?.type === "finish" ? ` ("${next.raw}")` : ""}`;
  return new ProviderError({
    code: truncated ? "truncated" : "incomplete-tool-call",
    message: `Tool call "${id}" (${name}) was cut: ${why} before its arguments were whole. It must not run; send the request again, with more room for the answer if it ran out of tokens.`,
    retryable: truncated,
    provider,
  });
}
