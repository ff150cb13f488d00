import type {
  ActivityMessage,
  AGUIEvent,
  AssistantMessage,
  Message,
  MessageToolCall,
  Metadata,
} from "../protocol/vocabulary.js";
import { applyJsonPatch } from "../state/apply-json-patch.js";
import type { Warn } from "./create-warn.js";
import { byType, type Fold } from "./fold.js";
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

/** The messages of a thread, and where a tool call stands among them. */
export interface MessagesFold extends Fold<readonly Message[]> {
  findCall(toolCallId: string): FoundCall | undefined;
}

/** Events of a text or a reasoning message. */
type MessageEvent = AGUIEvent & { messageId: string; delta?: string; metadata?: Metadata };

/** What an encrypted value sets; the type is the protocol's since 1.1, and `@ag-ui/core` lacks it. */
interface Encrypted {
  encryptedValue?: string;
  encryptedValueType?: string;
}

/** Builds the messages of a thread from explicit events: chunks have been expanded before. */
export function foldMessages(initial: readonly Message[], warn: Warn): MessagesFold {
  let messages: readonly Message[] = [];
  /** Where a message stands, by its id. */
  const places = new Map<string, number>();
  /** Where the message stands that holds a call, by the call's id. */
  const holders = new Map<string, number>();

  function note(where: Map<string, number>, id: string, place: number, from: number): void {
    if ((where.get(id) ?? from) >= from) where.set(id, place);
  }

  /** Takes a list of which all before `from` stands where it stood. Of two that share an id the first counts. */
  function adopt(next: readonly Message[], from: number): void {
    messages = next;
    for (let place = next.length - 1; place >= from; place--) {
      const message = next[place]!;
      note(places, message.id, place, from);
      if (message.role !== "assistant") continue;
      message.toolCalls?.forEach((call) => note(holders, call.id, place, from));
    }
  }

  /** Where a message stands, or a new one would. */
  const placeOf = (id: string) => places.get(id) ?? messages.length;

  /** Puts what `change` makes of the message at a place there; it gives nothing to leave all as it is. */
  function put(place: number, change: (held: Message | undefined) => Message | undefined): void {
    const held = messages[place];
    const message = change(held);
    if (message === undefined || message === held) return;
    const next = messages.slice();
    next[place] = message;
    if (held === undefined) adopt(next, place);
    else messages = next;
  }

  const warnUnknown = (event: AGUIEvent, id: string) =>
    void warn(event, "unknown-id", id, "nothing has this id");
  const warnRole = (event: AGUIEvent, id: string, why: string) => void warn(event, "role-conflict", id, why);

  /** Changes the text or reasoning message of an event; opens it as `opened` where there is none. */
  function change(event: MessageEvent, opened?: Message): void {
    const { messageId, delta } = event;
    put(placeOf(messageId), (held = opened) => {
      if (held === undefined) return warnUnknown(event, messageId);
      if (typeof held.content === "object")
        return warnRole(event, messageId, "the message holds no plain text");
      const message = mergeMetadata(held, event);
      const { content } = held;
      if (delta === undefined || (delta === "" && content !== undefined)) return message;
      return { ...message, content: (content ?? "") + delta } as Message;
    });
  }

  function findCall(toolCallId: string): FoundCall | undefined {
    const place = holders.get(toolCallId);
    if (place === undefined) return undefined;
    const holder = messages[place] as AssistantMessage;
    const index = holder.toolCalls!.findIndex((call) => call.id === toolCallId);
    return { place, holder, index, call: holder.toolCalls![index]! };
  }

  function changeCall(event: AGUIEvent, id: string, to: (call: MessageToolCall) => MessageToolCall): void {
    const found = findCall(id);
    if (found === undefined) {
      warnUnknown(event, id);
      return;
    }
    const { place, holder, index } = found;
    const call = to(found.call);
    if (call === found.call) return;
    const toolCalls = holder.toolCalls!.slice();
    toolCalls[index] = call;
    put(place, () => ({ ...holder, toolCalls }));
  }

  const appendArguments = (event: AGUIEvent & { toolCallId: string; delta?: string; metadata?: Metadata }) =>
    changeCall(event, event.toolCallId, (held) => {
      const { delta = "" } = event;
      const call = mergeMetadata(held, event);
      const called = call.function;
      return delta === "" ? call : { ...call, function: { ...called, arguments: called.arguments + delta } };
    });

  adopt(initial, 0);

  return {
    get value() {
      return messages;
    },
    findCall,
    apply: byType({
      RUN_STARTED({ input }) {
        const unseen = input?.messages.filter(({ id }) => placeOf(id) === messages.length) ?? [];
        if (unseen.length > 0) adopt([...messages, ...unseen], messages.length);
      },

      TEXT_MESSAGE_START(event) {
        const { messageId: id, role = "assistant" } = event;
        change(event, { id, role, content: "", ...pick(event, "name", "subagentRunId") });
      },
      TEXT_MESSAGE_CONTENT: change,
      TEXT_MESSAGE_END: change,
      REASONING_MESSAGE_START(event) {
        const { messageId: id } = event;
        change(event, { id, role: "reasoning", content: "", ...pick(event, "subagentRunId") });
      },
      REASONING_MESSAGE_CONTENT: change,
      REASONING_MESSAGE_END: change,

      TOOL_CALL_START(event) {
        const { toolCallId, toolCallName: name, parentMessageId } = event;
        if (holders.has(toolCallId)) {
          changeCall(event, toolCallId, (held) => {
            const call = mergeMetadata(held, event);
            if (held.function.name === name) return call;
            warn(event, "renamed", toolCallId, "the newer name stands");
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
        let place = parentMessageId === undefined ? messages.length : placeOf(id);
        if ((messages[place]?.role ?? "assistant") !== "assistant") {
          warnRole(event, id, "as a child: its parent is no assistant's message");
          id = toolCallId;
          place = messages.length;
        }
        const created: AssistantMessage = { id, role: "assistant", ...pick(event, "subagentRunId") };
        put(place, (held = created) => {
          const { toolCalls = [] } = held as AssistantMessage;
          return { ...held, toolCalls: [...toolCalls, call] } as AssistantMessage;
        });
        holders.set(toolCallId, place);
      },
      TOOL_CALL_ARGS: appendArguments,
      TOOL_CALL_END: appendArguments,
      TOOL_CALL_RESULT(event) {
        const { messageId: id, toolCallId, content } = event;
        const answer: Message = { id, role: "tool", toolCallId, content, ...pick(event, "subagentRunId") };
        const message = mergeMetadata(answer, event);
        const held = placeOf(id);
        if (messages[held]?.role === "tool") {
          put(held, () => message);
          return;
        }
        let place = findCall(toolCallId)?.place ?? messages.length - 1;
        do place++;
        while (messages[place]?.role === "tool");
        const next = messages.slice();
        next.splice(place, 0, message);
        adopt(next, place);
      },

      REASONING_ENCRYPTED_VALUE(event) {
        const { entityId, encryptedValue } = event;
        const encrypt = <T extends object>(entity: T): T => {
          const { encryptedValueType, ...rest } = entity as T & Encrypted;
          return { ...rest, encryptedValue, ...pick(event as Encrypted, "encryptedValueType") } as T;
        };
        if (event.subtype === "tool-call") changeCall(event, entityId, encrypt);
        else
          put(placeOf(entityId), (held) =>
            held === undefined || held.role === "activity" ? warnUnknown(event, entityId) : encrypt(held),
          );
      },

      ACTIVITY_SNAPSHOT(event) {
        const { messageId: id, replace = true } = event;
        const place = placeOf(id);
        put(place, (held) => {
          const before = held?.role === "activity" ? held : undefined;
          if (held !== undefined && !replace) return before && mergeMetadata(before, event);
          const { toolCalls } = (held ?? {}) as AssistantMessage;
          toolCalls?.forEach(({ id: call }) => {
            if (holders.get(call) === place) holders.delete(call);
          });
          const message: ActivityMessage = {
            id,
            role: "activity",
            ...pick(event, "activityType", "content", "subagentRunId"),
            ...(before && pick(before, "metadata")),
          };
          return keepEqual(held, mergeMetadata(message, event));
        });
      },
      ACTIVITY_DELTA(event) {
        const { messageId: id, activityType } = event;
        put(placeOf(id), (held) => {
          if (held?.role !== "activity") return warnUnknown(event, id);
          const message = mergeMetadata(held, event);
          try {
            const content = applyJsonPatch(held.content, event.patch);
            return keepEqual(message, { ...message, content, activityType });
          } catch (error) {
            warn(event, "patch-failed", id, reasonOf(error));
          }
          return message;
        });
      },

      MESSAGES_SNAPSHOT(event) {
        const told = new Map(event.messages.map((message) => [message.id, message]));
        const roles = new Set<string>(event.messages.map(({ role }) => role));
        const next: Message[] = [];
        for (const held of messages) {
          const message = told.get(held.id);
          const isUntold = ["activity", "reasoning"].includes(held.role) && !roles.has(held.role);
          if (message !== undefined) next.push(keepEqual(held, message));
          else if (isUntold) next.push(held);
          told.delete(held.id);
        }
        told.forEach((message) => next.push(message));
        if (isSameList(next, messages)) return;
        places.clear();
        holders.clear();
        adopt(next, 0);
      },
    }),
  };
}
