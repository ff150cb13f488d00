import { EventType, type AGUIEvent, type Metadata } from "@agrx/core";
import type { ReasoningDelta, TextDelta } from "../delta.js";
import { metadataKeys } from "../metadata-keys.js";

type EmitEvent = (event: AGUIEvent) => void;

/** Text and reasoning of one answer, as messages that open and close. */
export interface MessageBrackets {
  text(delta: TextDelta, emit: EmitEvent): void;
  reasoning(delta: ReasoningDelta, emit: EmitEvent): void;
  /** A tool call begins: closes what is open, and gives the message that the call belongs to. */
  holder(providerExecuted: boolean, emit: EmitEvent): string;
  /** A result came: what follows is a new turn of the model. */
  nextTurn(): void;
  /** Closes what is open. */
  close(emit: EmitEvent): void;
  /** Closes what is open, after what was held back. */
  end(emit: EmitEvent): void;
}

interface OpenMessage {
  readonly id: string;
  readonly key: string | undefined;
  /** The first half of a surrogate pair whose second half is still to come. */
  half: string;
}

/**
 * Keeps at most one message open. Text after a call is a new message, which says in its metadata
 * (`agrx.continues`) which message of the same answer it goes on from.
 */
export function createMessageBrackets(nextMessageId: () => string): MessageBrackets {
  let text: OpenMessage | undefined;
  let reasoning: OpenMessage | undefined;
  let lastText: OpenMessage | undefined;
  let lastReasoning: OpenMessage | undefined;
  /** The message that the calls of this turn belong to. */
  let holderId: string | undefined;
  let hasCalls = false;
  /** White space between calls is no message of its own, unless text follows (cloudwego/eino-ext#975). */
  let blank = "";

  const closeText = (emit: EmitEvent) => {
    if (text === undefined) return;
    const { id: messageId, half } = text;
    if (half !== "") emit({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: half });
    emit({ type: EventType.TEXT_MESSAGE_END, messageId });
    text = undefined;
  };
  const closeReasoning = (emit: EmitEvent) => {
    if (reasoning === undefined) return;
    const { id: messageId, half } = reasoning;
    if (half !== "") emit({ type: EventType.REASONING_MESSAGE_CONTENT, messageId, delta: half });
    emit({ type: EventType.REASONING_MESSAGE_END, messageId });
    emit({ type: EventType.REASONING_END, messageId });
    reasoning = undefined;
  };
  const close = (emit: EmitEvent) => {
    closeText(emit);
    closeReasoning(emit);
  };

  const openText = (delta: TextDelta, emit: EmitEvent): OpenMessage => {
    close(emit);
    const id = nextMessageId();
    const metadata: Metadata = {
      ...delta.metadata,
      ...(delta.refusal && { "agrx.refusal": true }),
      ...(hasCalls && holderId !== undefined && { [metadataKeys.continues]: holderId }),
    };
    if (!hasCalls) holderId = id;
    emit({ type: EventType.TEXT_MESSAGE_START, messageId: id, role: "assistant", ...someMetadata(metadata) });
    return (lastText = text = { id, key: delta.key, half: "" });
  };

  const openReasoning = (delta: ReasoningDelta, emit: EmitEvent): OpenMessage => {
    close(emit);
    // Calls after this reasoning belong behind it: with no call yet, not to the text before it.
    if (!hasCalls) holderId = undefined;
    const id = nextMessageId();
    emit({ type: EventType.REASONING_START, messageId: id });
    emit({
      type: EventType.REASONING_MESSAGE_START,
      messageId: id,
      role: "reasoning",
      ...someMetadata(delta.metadata),
    });
    return (lastReasoning = reasoning = { id, key: delta.key, half: "" });
  };

  const openWith = (key: string | undefined) => (text !== undefined && text.key === key ? text : undefined);

  const words = (delta: TextDelta, emit: EmitEvent) => {
    const open = openWith(delta.key);
    if (open !== undefined) {
      content(open, delta.text, delta.metadata, emit);
    } else if (hasCalls && text === undefined && delta.text.trim() === "") {
      blank += delta.text;
    } else {
      const before = blank;
      blank = "";
      content(openText(delta, emit), before + delta.text, undefined, emit);
    }
  };

  const content = (open: OpenMessage, given: string, metadata: Metadata | undefined, emit: EmitEvent) => {
    const delta = takeWhole(open, given);
    if (delta === "" && metadata === undefined) return;
    const event = { type: EventType.TEXT_MESSAGE_CONTENT, messageId: open.id, delta } as const;
    emit(metadata === undefined ? event : { ...event, metadata });
  };

  /** Metadata without text: of the open message, else told as it is. */
  const remark = (metadata: Metadata, key: string | undefined, emit: EmitEvent) => {
    const open = openWith(key);
    if (open !== undefined) {
      content(open, "", metadata, emit);
      return;
    }
    for (const [name, value] of Object.entries(metadata) as [string, unknown][]) {
      emit({ type: EventType.CUSTOM, name, value: { messageId: lastText?.id, value } });
    }
  };

  return {
    text(delta, emit) {
      if (delta.text !== "") words(delta, emit);
      else if (delta.metadata) remark(delta.metadata, delta.key, emit);
      if (delta.encryptedValue === undefined) return;
      const id = text?.id ?? lastText?.id ?? holderId ?? openText({ type: "text", text: "" }, emit).id;
      emit(encryptedValue("message", id, delta.encryptedValue, delta.encryptedValueType));
    },
    reasoning(delta, emit) {
      if (delta.text === "" && delta.encryptedValue === undefined) return;
      const { key } = delta;
      let open = reasoning !== undefined && reasoning.key === key ? reasoning : undefined;
      // A signature that comes late belongs to the block before it.
      if (open === undefined && delta.text === "" && lastReasoning?.key === key) open = lastReasoning;
      open ??= openReasoning(delta, emit);
      const whole = delta.text === "" ? "" : takeWhole(open, delta.text);
      if (whole !== "") emit({ type: EventType.REASONING_MESSAGE_CONTENT, messageId: open.id, delta: whole });
      if (delta.encryptedValue === undefined) return;
      emit(encryptedValue("message", open.id, delta.encryptedValue, delta.encryptedValueType));
    },
    holder(providerExecuted, emit) {
      close(emit);
      holderId ??= nextMessageId();
      if (!providerExecuted) hasCalls = true;
      return holderId;
    },
    nextTurn() {
      holderId = undefined;
      hasCalls = false;
    },
    close,
    end(emit) {
      if (blank !== "" && holderId !== undefined) {
        const messageId = holderId;
        emit({ type: EventType.TEXT_MESSAGE_START, messageId, role: "assistant" });
        emit({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta: blank });
        emit({ type: EventType.TEXT_MESSAGE_END, messageId });
        blank = "";
      }
      close(emit);
    },
  };
}

/** What an event carries for the next request: AG-UI 1.1's fields, of which 1.0's types lack one. */
export function encryptedValue(
  subtype: "message" | "tool-call",
  entityId: string,
  value: string,
  encryptedValueType: string | undefined,
): AGUIEvent {
  return {
    type: EventType.REASONING_ENCRYPTED_VALUE,
    subtype,
    entityId,
    encryptedValue: value,
    ...(encryptedValueType !== undefined && { encryptedValueType }),
  };
}

export function someMetadata(metadata: Metadata | undefined): { metadata?: Metadata } {
  return metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata };
}

/** Gives what may go out: half a surrogate pair waits for its other half. */
function takeWhole(open: OpenMessage, words: string): string {
  const joined = open.half === "" ? words : open.half + words;
  const last = joined.charCodeAt(joined.length - 1);
  const cut = last >= 0xd800 && last <= 0xdbff;
  open.half = cut ? joined.slice(-1) : "";
  return cut ? joined.slice(0, -1) : joined;
}
