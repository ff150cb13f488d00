import { createPartialReader, type PartialReader } from "../json/partial-reader.js";
import type { EventOf, MessageToolCall } from "../protocol/vocabulary.js";
import type { ToolCall } from "../tools/tool-call.js";
import { Fold, type EventMethods } from "./fold.js";
import type { MessagesFold } from "./fold-messages.js";
import { isSameList, keepEqual } from "./keep-equal.js";
import { isCustom, ranBy, settleArguments } from "./settle-arguments.js";

/** What of a call stands in its message. */
const written = (call: MessageToolCall, parentMessageId: string) => ({
  id: call.id,
  name: call.function.name,
  arguments: call.function.arguments,
  parentMessageId,
  ...ranBy(call.metadata),
});

/** The calls of a thread's messages. An event has to be applied to the messages first. */
export class ToolCallsFold extends Fold<readonly ToolCall[]> implements EventMethods {
  value: readonly ToolCall[] = [];
  readonly #messages: MessagesFold;
  readonly #places = new Map<string, number>();
  /** What reads the arguments of calls that stream. */
  readonly #readers = new Map<string, PartialReader>();

  constructor(messages: MessagesFold) {
    super();
    this.#messages = messages;
    this.#rebuild();
  }

  /** Takes over what an event changed of a call in its message, and what follows from it. */
  #update(id: string, change: (call: MessageToolCall) => Partial<ToolCall>): void {
    const found = this.#messages.findCall(id);
    if (found === undefined) return;
    const place = this.#places.get(id) ?? this.value.length;
    const before = this.value[place] ?? { args: undefined, status: "streaming" as const };
    const next = this.value.slice();
    next[place] = { ...before, ...written(found.call, found.holder.id), ...change(found.call) };
    this.#places.set(id, place);
    this.value = next;
  }

  /** Reads all messages anew, after they were told anew. */
  #rebuild(): void {
    const before = new Map(this.value.map((call) => [call.id, call]));
    const results = new Map<string, Pick<ToolCall, "result">>();
    const next: ToolCall[] = [];
    for (const message of this.#messages.value) {
      if (message.role === "tool") results.set(message.toolCallId, { result: message.content });
    }
    this.#places.clear();
    for (const message of this.#messages.value) {
      if (message.role !== "assistant") continue;
      for (const call of message.toolCalls ?? []) {
        if (this.#places.has(call.id)) continue;
        this.#places.set(call.id, next.length);
        const known = before.get(call.id);
        let { args, status } = known ?? {};
        if (known?.arguments !== call.function.arguments) {
          const settled = settleArguments(call.function.arguments, call.metadata);
          args = settled.args;
          if (status !== "streaming") ({ status } = settled);
          this.#readers.delete(call.id);
        }
        const told = { ...written(call, message.id), args, status: status!, ...results.get(call.id) };
        next.push(keepEqual(known, told));
      }
    }
    if (!isSameList(next, this.value)) this.value = next;
  }

  /** What still streams has been cut. */
  #abandon(): void {
    this.#readers.clear();
    if (!this.value.some((call) => call.status === "streaming")) return;
    this.value = this.value.map((call) =>
      call.status === "streaming" ? { ...call, status: "incomplete" } : call,
    );
  }

  RUN_STARTED({ input }: EventOf<"RUN_STARTED">): void {
    this.#abandon();
    if (input !== undefined) this.#rebuild();
  }

  RUN_FINISHED(): void {
    this.#abandon();
  }

  RUN_ERROR(): void {
    this.#abandon();
  }

  MESSAGES_SNAPSHOT(): void {
    this.#rebuild();
  }

  TOOL_CALL_START({ toolCallId }: EventOf<"TOOL_CALL_START">): void {
    this.#update(toolCallId, () => ({ status: "streaming" }));
  }

  TOOL_CALL_ARGS({ toolCallId, delta }: EventOf<"TOOL_CALL_ARGS">): void {
    if (delta === "") return;
    this.#update(toolCallId, (call) => {
      const text = call.function.arguments;
      if (isCustom(call.metadata)) return { args: text };
      const reader = this.#readers.get(toolCallId);
      if (reader !== undefined) return reader.push(delta) ? { args: reader.json.value } : {};
      const fresh = createPartialReader();
      this.#readers.set(toolCallId, fresh);
      fresh.push(text);
      return { args: fresh.json.value };
    });
  }

  TOOL_CALL_END({ toolCallId }: EventOf<"TOOL_CALL_END">): void {
    this.#update(toolCallId, (call) =>
      settleArguments(call.function.arguments, call.metadata, this.#readers.get(toolCallId)?.json),
    );
    this.#readers.delete(toolCallId);
  }

  TOOL_CALL_RESULT({ toolCallId, content }: EventOf<"TOOL_CALL_RESULT">): void {
    this.#update(toolCallId, () => ({ result: content }));
  }
}
