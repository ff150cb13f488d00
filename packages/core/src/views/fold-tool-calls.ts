import { createPartialReader, type PartialReader } from "../json/partial-reader.js";
import type { MessageToolCall } from "../protocol/vocabulary.js";
import type { ToolCall } from "../tools/tool-call.js";
import { byType, type Fold } from "./fold.js";
import type { MessagesFold } from "./fold-messages.js";
import { isSameList, keepEqual } from "./keep-equal.js";
import { isCustom, ranBy, settleArguments } from "./settle-arguments.js";

/** The calls of a thread's messages. An event has to be applied to the messages first. */
export function foldToolCalls(messages: MessagesFold): Fold<readonly ToolCall[]> {
  let calls: readonly ToolCall[] = [];
  const places = new Map<string, number>();
  /** What reads the arguments of calls that stream. */
  const readers = new Map<string, PartialReader>();

  /** What of a call stands in its message. */
  const written = (call: MessageToolCall, parentMessageId: string) => ({
    id: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
    parentMessageId,
    ...ranBy(call.metadata),
  });

  /** Takes over what an event changed of a call in its message, and what follows from it. */
  function update(id: string, change: (call: MessageToolCall) => Partial<ToolCall>): void {
    const found = messages.findCall(id);
    if (found === undefined) return;
    const place = places.get(id) ?? calls.length;
    const before = calls[place] ?? { args: undefined, status: "streaming" as const };
    const next = calls.slice();
    next[place] = { ...before, ...written(found.call, found.holder.id), ...change(found.call) };
    places.set(id, place);
    calls = next;
  }

  /** Reads all messages anew, after they were told anew. */
  function rebuild(): void {
    const before = new Map(calls.map((call) => [call.id, call]));
    const results = new Map<string, Pick<ToolCall, "result">>();
    const next: ToolCall[] = [];
    for (const message of messages.value) {
      if (message.role === "tool") results.set(message.toolCallId, { result: message.content });
    }
    places.clear();
    for (const message of messages.value) {
      if (message.role !== "assistant") continue;
      for (const call of message.toolCalls ?? []) {
        if (places.has(call.id)) continue;
        places.set(call.id, next.length);
        const known = before.get(call.id);
        let { args, status } = known ?? {};
        if (known?.arguments !== call.function.arguments) {
          const settled = settleArguments(call.function.arguments, call.metadata);
          args = settled.args;
          if (status !== "streaming") ({ status } = settled);
          readers.delete(call.id);
        }
        const told = { ...written(call, message.id), args, status: status!, ...results.get(call.id) };
        next.push(keepEqual(known, told));
      }
    }
    if (!isSameList(next, calls)) calls = next;
  }

  /** What still streams has been cut. */
  function abandon(): void {
    readers.clear();
    if (!calls.some((call) => call.status === "streaming")) return;
    calls = calls.map((call) => (call.status === "streaming" ? { ...call, status: "incomplete" } : call));
  }

  rebuild();

  return {
    get value() {
      return calls;
    },
    apply: byType({
      RUN_STARTED({ input }) {
        abandon();
        if (input !== undefined) rebuild();
      },
      RUN_FINISHED: abandon,
      RUN_ERROR: abandon,
      MESSAGES_SNAPSHOT: rebuild,
      TOOL_CALL_START({ toolCallId }) {
        update(toolCallId, () => ({ status: "streaming" }));
      },
      TOOL_CALL_ARGS({ toolCallId, delta }) {
        if (delta === "") return;
        update(toolCallId, (call) => {
          const text = call.function.arguments;
          if (isCustom(call.metadata)) return { args: text };
          const reader = readers.get(toolCallId);
          if (reader !== undefined) return reader.push(delta) ? { args: reader.json.value } : {};
          const fresh = createPartialReader();
          readers.set(toolCallId, fresh);
          fresh.push(text);
          return { args: fresh.json.value };
        });
      },
      TOOL_CALL_END({ toolCallId }) {
        update(toolCallId, (call) =>
          settleArguments(call.function.arguments, call.metadata, readers.get(toolCallId)?.json),
        );
        readers.delete(toolCallId);
      },
      TOOL_CALL_RESULT({ toolCallId, content }) {
        update(toolCallId, () => ({ result: content }));
      },
    }),
  };
}
