import type {
  ActivityMessage,
  AGUIEvent,
  AssistantMessage,
  EventOf,
  Message,
  MessageToolCall,
  Metadata,
} from "../protocol/vocabulary.js";
import { applyJsonPatch } from "../state/apply-json-patch.js";
import type { Warn } from "./create-warn.js";
import { Fold, type EventMethods } from "./fold.js";
import { isSameList, keepEqual } from "./keep-equal.js";
import { mergeMetadata } from "./merge-metadata.js";
import { pick } from "./pick.js";
import { reasonOf } from "./reason-of.js";

/** A tool call, and where it stands among the messages. */
interface FoundCall {
  readonly place: number;
  readonly holder: AssistantMessage;
  readonly index: number;
  readonly call: MessageToolCall;
}

/** Events of a text or a reasoning message. */
type MessageEvent = AGUIEvent & { messageId: string; delta?: string; metadata?: Metadata };

/** What an encrypted value sets; the type is the protocol's since 1.1, and `@ag-ui/core` lacks it. */
interface Encrypted {
  encryptedValue?: string;
  encryptedValueType?: string;
}

/** Builds the messages of a thread from explicit events: chunks have been expanded before. */
export class MessagesFold extends Fold<readonly Message[]> implements EventMethods {
  value: readonly Message[] = [];
  /** Where a message stands, by its id. */
  readonly #places = new Map<string, number>();
  /** Where the message stands that holds a call, by the call's id. */
  readonly #holders = new Map<string, number>();
  readonly #warn: Warn;

  constructor(initial: readonly Message[], warn: Warn) {
    super();
    this.#warn = warn;
    this.#adopt(initial, 0);
  }

  #note(where: Map<string, number>, id: string, place: number, from: number): void {
    if ((where.get(id) ?? from) >= from) where.set(id, place);
  }

  /** Takes a list of which all before `from` stands where it stood. Of two that share an id the first counts. */
  #adopt(next: readonly Message[], from: number): void {
    this.value = next;
    for (let place = next.length - 1; place >= from; place--) {
      const message = next[place]!;
      this.#note(this.#places, message.id, place, from);
      if (message.role !== "assistant") continue;
      message.toolCalls?.forEach((call) => this.#note(this.#holders, call.id, place, from));
    }
  }

  /** Where a message stands, or a new one would. */
  #placeOf(id: string): number {
    return this.#places.get(id) ?? this.value.length;
  }

  #put(place: number, message: Message): void {
    const held = this.value[place];
    if (message === held) return;
    const next = this.value.slice();
    next[place] = message;
    if (held === undefined) this.#adopt(next, place);
    else this.value = next;
  }

  #warnUnknown(event: AGUIEvent, id: string): void {
    this.#warn(event, "unknown-id", id, "nothing has this id");
  }

  /** Changes the text or reasoning message of an event; opens it as `opened` where there is none. */
  #change(event: MessageEvent, opened?: Message): void {
    const { messageId, delta } = event;
    const place = this.#placeOf(messageId);
    const held = this.value[place] ?? opened;
    if (held === undefined) this.#warnUnknown(event, messageId);
    else if (typeof held.content === "object") {
      this.#warn(event, "role-conflict", messageId, "the message holds no plain text");
    } else {
      const message = mergeMetadata(held, event);
      const { content } = held;
      const isSame = delta === undefined || (delta === "" && content !== undefined);
      this.#put(place, isSame ? message : ({ ...message, content: (content ?? "") + delta } as Message));
    }
  }

  findCall(toolCallId: string): FoundCall | undefined {
    const place = this.#holders.get(toolCallId);
    if (place === undefined) return undefined;
    const holder = this.value[place] as AssistantMessage;
    const index = holder.toolCalls!.findIndex((call) => call.id === toolCallId);
    return { place, holder, index, call: holder.toolCalls![index]! };
  }

  #changeCall(event: AGUIEvent, id: string, to: (call: MessageToolCall) => MessageToolCall): void {
    const found = this.findCall(id);
    if (found === undefined) {
      this.#warnUnknown(event, id);
      return;
    }
    const { place, holder, index } = found;
    const call = to(found.call);
    if (call === found.call) return;
    const toolCalls = holder.toolCalls!.slice();
    toolCalls[index] = call;
    this.#put(place, { ...holder, toolCalls });
  }

  #appendArguments(event: AGUIEvent & { toolCallId: string; delta?: string; metadata?: Metadata }): void {
    this.#changeCall(event, event.toolCallId, (held) => {
      const { delta = "" } = event;
      const call = mergeMetadata(held, event);
      const called = call.function;
      return delta === "" ? call : { ...call, function: { ...called, arguments: called.arguments + delta } };
    });
  }

  RUN_STARTED({ input }: EventOf<"RUN_STARTED">): void {
    const unseen = input?.messages.filter(({ id }) => this.#placeOf(id) === this.value.length) ?? [];
    if (unseen.length > 0) this.#adopt([...this.value, ...unseen], this.value.length);
  }

  TEXT_MESSAGE_START(event: EventOf<"TEXT_MESSAGE_START">): void {
    const { messageId: id, role = "assistant" } = event;
    this.#change(event, { id, role, content: "", ...pick(event, "name", "subagentRunId") });
  }

  TEXT_MESSAGE_CONTENT(event: EventOf<"TEXT_MESSAGE_CONTENT">): void {
    this.#change(event);
  }

  TEXT_MESSAGE_END(event: EventOf<"TEXT_MESSAGE_END">): void {
    this.#change(event);
  }

  REASONING_MESSAGE_START(event: EventOf<"REASONING_MESSAGE_START">): void {
    const { messageId: id } = event;
    this.#change(event, { id, role: "reasoning", content: "", ...pick(event, "subagentRunId") });
  }

  REASONING_MESSAGE_CONTENT(event: EventOf<"REASONING_MESSAGE_CONTENT">): void {
    this.#change(event);
  }

  REASONING_MESSAGE_END(event: EventOf<"REASONING_MESSAGE_END">): void {
    this.#change(event);
  }

  TOOL_CALL_START(event: EventOf<"TOOL_CALL_START">): void {
    const { toolCallId, toolCallName: name, parentMessageId } = event;
    if (this.#holders.has(toolCallId)) {
      this.#changeCall(event, toolCallId, (held) => {
        const call = mergeMetadata(held, event);
        if (held.function.name === name) return call;
        this.#warn(event, "renamed", toolCallId, "the newer name stands");
        return { ...call, function: { ...call.function, name } };
      });
      return;
    }
    const started: MessageToolCall = {
      id: toolCallId,
      type: "function",
      function: { name, arguments: "" },
    };
    const call = mergeMetadata(started, event);
    // Without a parent the call is in a message of its own, even where another message has its id.
    let id = parentMessageId ?? toolCallId;
    let place = parentMessageId === undefined ? this.value.length : this.#placeOf(id);
    if ((this.value[place]?.role ?? "assistant") !== "assistant") {
      this.#warn(event, "role-conflict", id, "as a child: its parent is no assistant's message");
      id = toolCallId;
      place = this.value.length;
    }
    const created: AssistantMessage = { id, role: "assistant", ...pick(event, "subagentRunId") };
    const { toolCalls = [], ...holder } = (this.value[place] ?? created) as AssistantMessage;
    this.#put(place, { ...holder, toolCalls: [...toolCalls, call] });
    this.#holders.set(toolCallId, place);
  }

  TOOL_CALL_ARGS(event: EventOf<"TOOL_CALL_ARGS">): void {
    this.#appendArguments(event);
  }

  TOOL_CALL_END(event: EventOf<"TOOL_CALL_END">): void {
    this.#appendArguments(event);
  }

  TOOL_CALL_RESULT(event: EventOf<"TOOL_CALL_RESULT">): void {
    const { messageId: id, toolCallId, content } = event;
    const answer: Message = { id, role: "tool", toolCallId, content, ...pick(event, "subagentRunId") };
    const message = mergeMetadata(answer, event);
    const held = this.#placeOf(id);
    if (this.value[held]?.role === "tool") {
      this.#put(held, message);
      return;
    }
    let place = this.findCall(toolCallId)?.place ?? this.value.length - 1;
    do place++;
    while (this.value[place]?.role === "tool");
    const next = this.value.slice();
    next.splice(place, 0, message);
    this.#adopt(next, place);
  }

  REASONING_ENCRYPTED_VALUE(event: EventOf<"REASONING_ENCRYPTED_VALUE">): void {
    const { entityId, encryptedValue } = event;
    const encrypt = <T extends object>(entity: T): T => {
      const { encryptedValueType, ...rest } = entity as T & Encrypted;
      return { ...rest, encryptedValue, ...pick(event as Encrypted, "encryptedValueType") } as T;
    };
    const place = this.#placeOf(entityId);
    const held = this.value[place];
    if (event.subtype === "tool-call") this.#changeCall(event, entityId, encrypt);
    else if (held === undefined || held.role === "activity") this.#warnUnknown(event, entityId);
    else this.#put(place, encrypt(held));
  }

  ACTIVITY_SNAPSHOT(event: EventOf<"ACTIVITY_SNAPSHOT">): void {
    const { messageId: id, replace = true } = event;
    const place = this.#placeOf(id);
    const held = this.value[place];
    const before = held?.role === "activity" ? held : undefined;
    if (held === undefined || replace) {
      const { toolCalls } = (held ?? {}) as AssistantMessage;
      toolCalls?.forEach(({ id: call }) => {
        if (this.#holders.get(call) === place) this.#holders.delete(call);
      });
      const message: ActivityMessage = {
        id,
        role: "activity",
        ...pick(event, "activityType", "content", "subagentRunId"),
        ...(before && pick(before, "metadata")),
      };
      this.#put(place, keepEqual(held, mergeMetadata(message, event)));
    } else if (before !== undefined) this.#put(place, mergeMetadata(before, event));
  }

  ACTIVITY_DELTA(event: EventOf<"ACTIVITY_DELTA">): void {
    const { messageId: id, activityType } = event;
    const place = this.#placeOf(id);
    const held = this.value[place];
    if (held?.role !== "activity") {
      this.#warnUnknown(event, id);
      return;
    }
    let message = mergeMetadata(held, event);
    try {
      const content = applyJsonPatch(held.content, event.patch);
      message = keepEqual(message, { ...message, content, activityType });
    } catch (error) {
      this.#warn(event, "patch-failed", id, reasonOf(error));
    }
    this.#put(place, message);
  }

  MESSAGES_SNAPSHOT(event: EventOf<"MESSAGES_SNAPSHOT">): void {
    const told = new Map(event.messages.map((message) => [message.id, message]));
    const roles = new Set<string>(event.messages.map(({ role }) => role));
    const next: Message[] = [];
    for (const held of this.value) {
      const message = told.get(held.id);
      const isUntold = ["activity", "reasoning"].includes(held.role) && !roles.has(held.role);
      if (message !== undefined) next.push(keepEqual(held, message));
      else if (isUntold) next.push(held);
      told.delete(held.id);
    }
    told.forEach((message) => next.push(message));
    if (isSameList(next, this.value)) return;
    this.#places.clear();
    this.#holders.clear();
    this.#adopt(next, 0);
  }
}
