import { stateful, type Machine, type Metadata } from "@agrx/core";
import type { OperatorFunction } from "rxjs";
import type { Delta, EmitDelta, FinishReason } from "../delta.js";
import { encryptedFields } from "../encrypted-values.js";
import { metadataKeys } from "../metadata-keys.js";
import { createDecoder, type ChunkReader, type DecoderContext } from "./decoder.js";
import type { DecoderOptions } from "./decoder-options.js";
import { remember } from "./remember.js";
import { providerFailure } from "./provider-failure.js";
import { idOf, type ItemSlot, type ResponsesItem } from "./responses-item.js";
import { createCallItems } from "./responses-items.js";
import { tokenUsage } from "./token-count.js";

/** An event of OpenAI's Responses API; the SDK's `ResponseStreamEvent` is one. */
export interface OpenAIResponsesChunk {
  readonly type: string;
}

/**
 * Reads the events of OpenAI's Responses API, and of the servers that speak it.
 *
 * In: events, from the wire or from the SDK's stream. Out: deltas, synchronously. Completes with the source; a
 * failed response or an `error` event is an error delta. Events are joined by `output_index`, since item ids
 * may be missing or change; a call's id is its `call_id`. What the provider ran is `providerExecuted`, with
 * its result. Encrypted reasoning is an encrypted value `openai.encrypted_content`.
 *
 * ```text
 * events  --i--d--d--o--c--|   i: output_item.added, d: arguments.delta, o: output_item.done, c: completed
 * deltas  --S--a--a--E--F--|   S: start, a: arguments, E: end, F: finish
 * ```
 *
 * @example
 * ```ts
 * import { openaiResponses, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * const item = { type: "function_call", call_id: "call_1", name: "get_weather", arguments: "{}" };
 * of({ type: "response.output_item.done", output_index: 0, item }, { type: "response.completed", response: {} })
 *   .pipe(openaiResponses(), toToolCalls())
 *   .subscribe((call) => console.log(call.id, call.arguments)); // call_1 {}
 * ```
 */
export function openaiResponses(options?: DecoderOptions): OperatorFunction<OpenAIResponsesChunk, Delta> {
  return stateful(() => createOpenAIResponsesDecoder(options));
}

/** The machine of {@link openaiResponses}. */
export function createOpenAIResponsesDecoder(options?: DecoderOptions): Machine<OpenAIResponsesChunk, Delta> {
  return createDecoder<OpenAIResponsesChunk>(
    { name: "openaiResponses", provider: "openai", reader: createReader },
    options,
  );
}

/** An event with the fields that one type or another has. */
interface LooseEvent extends OpenAIResponsesChunk {
  readonly output_index?: number | null;
  readonly item_id?: string | null;
  readonly call_id?: string | null;
  readonly content_index?: number | null;
  readonly summary_index?: number | null;
  readonly delta?: unknown;
  readonly text?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly input?: unknown;
  readonly refusal?: unknown;
  readonly annotation?: unknown;
  readonly logprobs?: readonly unknown[] | null;
  readonly partial_image_b64?: unknown;
  readonly item?: ResponsesItem | null;
  readonly response?: LooseResponse | null;
  readonly error?: unknown;
}

interface LooseResponse {
  readonly id?: string | null;
  readonly model?: string | null;
  readonly status?: string | null;
  readonly output?: readonly ResponsesItem[] | null;
  readonly tools?: readonly { readonly type?: unknown; readonly name?: unknown }[] | null;
  readonly error?: unknown;
  readonly incomplete_details?: { readonly reason?: string | null } | null;
  readonly usage?: {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly total_tokens?: number;
    readonly input_tokens_details?: { readonly cached_tokens?: number } | null;
    readonly output_tokens_details?: { readonly reasoning_tokens?: number } | null;
  } | null;
}

/** Events that say nothing which another event does not say as well. */
const silent: ReadonlySet<string> = new Set(
  (
    "queued in_progress content_part.added content_part.done " +
    "reasoning_summary_part.added reasoning_summary_part.done reasoning_summary_text.done reasoning_text.done " +
    "refusal.done code_interpreter_call_code.done " +
    "mcp_list_tools.in_progress mcp_list_tools.completed mcp_list_tools.failed " +
    "shell_call_command.added shell_call_command.delta shell_call_command.done " +
    "shell_call_output_content.delta shell_call_output_content.done " +
    "apply_patch_call_operation_diff.delta apply_patch_call_operation_diff.done"
  )
    .split(" ")
    .map((name) => `response.${name}`),
);

/** How far a call of the provider's own has come: its item says the same. */
const progress =
  /^response\.\w+_call\.(in_progress|searching|executing|interpreting|generating|completed|failed)$/;

/** Items that are no message, reasoning or call: told as they are. */
const toldItems: ReadonlySet<string> = new Set(["mcp_list_tools", "mcp_approval_request", "compaction"]);

const incompleteReasons: Readonly<Record<string, FinishReason>> = {
  max_output_tokens: "length",
  max_tokens: "length",
  content_filter: "content-filter",
};

/** What an item has given so far. */
interface OpenItem {
  readonly slot: ItemSlot;
  readonly item: ResponsesItem;
  /** The key of the reasoning that came last. */
  key: string | undefined;
  /** Whether its text or reasoning came in fragments. */
  streamed: boolean;
  /** Whether its arguments were said whole: what still comes of them is late. */
  whole: boolean;
  citations: readonly unknown[];
}

function createReader(context: DecoderContext): ChunkReader<OpenAIResponsesChunk> {
  const { calls, provider } = context;
  const callItems = createCallItems(context, { ownTool });
  const items = new Map<ItemSlot, OpenItem>();
  let some = false;
  let answerId: string | undefined;
  let model: string | undefined;
  /** Names of the custom tools of the request, where the response repeats them. */
  let customTools: readonly unknown[] = [];

  /** xAI sends the calls of its own search as a custom tool's; what the client is to run is a function. */
  function ownTool({ call_id, name }: ResponsesItem): boolean {
    if (customTools.includes(name)) return false;
    return call_id?.startsWith("xs_call") === true || /(^|\/)grok/.test(model ?? "");
  }

  /** Where items stand, by their ids. */
  const slots = new Map<string, ItemSlot>();

  const slotById = (id: string | null | undefined) => (id ? slots.get(id) : undefined);

  /**
   * Where the item of an event stands: by its ids where one of them is known, else by its index. Some servers do not
   * count, some give every item the same index, and at one an item's own id changes from event to event.
   */
  const slotOf = ({ output_index: index, item_id, call_id, item }: LooseEvent): ItemSlot =>
    slotById(item?.id ?? item_id) ??
    slotById(item?.call_id ?? call_id) ??
    index ??
    (item?.call_id || item?.id || item_id || call_id || 0);

  /** The slot of an item that begins: its index, unless another item stands there. */
  const newSlot = (event: LooseEvent, item: ResponsesItem): ItemSlot => {
    const slot = event.output_index ?? slotOf(event);
    const other = items.get(slot)?.item;
    const id = idOf(item);
    if (other === undefined || id === undefined) return slot;
    // An item whose events came before it was announced has no id yet.
    const same = other.type === item.type && (idOf(other) ?? id) === id;
    return same ? slot : id;
  };

  const place = (slot: ItemSlot, { call_id, id }: ResponsesItem) => {
    for (const given of [call_id, id]) if (given) remember(slots, given, slot);
  };

  /** The item in a slot; one that was not announced is made up, and stands apart from an item of another type. */
  const itemIn = (slot: ItemSlot, type: string, event: LooseEvent): OpenItem => {
    let open = items.get(slot);
    const id = event.item_id ?? event.item?.id;
    if (open !== undefined && open.item.type !== type && id) {
      remember(slots, id, id);
      open = items.get((slot = id));
    }
    if (open === undefined) {
      open = openItem(slot, { type });
      items.set(slot, open);
    }
    return open;
  };

  const readText = (slot: ItemSlot, text: unknown, refusal: boolean, event: LooseEvent, emit: EmitDelta) => {
    if (typeof text !== "string" || text === "") return;
    const open = itemIn(slot, "message", event);
    const logprobs = event.logprobs?.length ? { "agrx.logprobs": event.logprobs } : undefined;
    const metadata = open.streamed ? logprobs : { ...itemMetadata(open.item), ...logprobs };
    open.streamed = true;
    emit({
      type: "text",
      text,
      key: refusal ? `${open.slot}/refusal` : String(open.slot),
      ...(refusal && { refusal }),
      ...(metadata !== undefined && { metadata }),
    });
  };

  const itemMetadata = ({ id, phase }: ResponsesItem): Metadata => ({
    ...(id && { [metadataKeys.openaiItemId]: id }),
    ...(phase ? { [metadataKeys.openaiPhase]: phase } : {}),
    ...(answerId && { "openai.responseId": answerId }),
  });

  const readReasoning = (slot: ItemSlot, part: string, text: unknown, event: LooseEvent, emit: EmitDelta) => {
    if (typeof text !== "string" || text === "") return;
    const open = itemIn(slot, "reasoning", event);
    const key = `${open.slot}/${part}`;
    const metadata = open.key === key ? undefined : itemMetadata(open.item);
    open.streamed = true;
    open.key = key;
    emit({ type: "reasoning", text, key, ...(metadata !== undefined && { metadata }) });
  };

  const cite = (slot: ItemSlot, annotation: unknown, event: LooseEvent, emit: EmitDelta) => {
    const open = itemIn(slot, "message", event);
    open.citations = [...open.citations, annotation];
    emit({ type: "text", text: "", key: String(open.slot), metadata: { "agrx.citations": open.citations } });
  };

  const messageDone = (slot: ItemSlot, item: ResponsesItem, event: LooseEvent, emit: EmitDelta) => {
    if (items.get(slot)?.streamed) return;
    for (const part of partsOf(item["content"])) {
      readText(slot, part["text"] ?? part["refusal"], part["type"] === "refusal", event, emit);
      for (const annotation of partsOf(part["annotations"])) cite(slot, annotation, event, emit);
    }
  };

  const reasoningDone = (slot: ItemSlot, item: ResponsesItem, event: LooseEvent, emit: EmitDelta) => {
    if (!items.get(slot)?.streamed) {
      for (const [at, { text }] of partsOf(item["summary"]).entries()) {
        readReasoning(slot, `summary/${at}`, text, event, emit);
      }
      for (const [at, { text }] of partsOf(item["content"]).entries()) {
        readReasoning(slot, `content/${at}`, text, event, emit);
      }
    }
    const encrypted = encryptedFields(item["encrypted_content"], "openai.encrypted_content");
    if (encrypted === undefined) return;
    const key = items.get(slot)?.key ?? String(slot);
    emit({ type: "reasoning", text: "", key, ...encrypted, metadata: itemMetadata(item) });
  };

  const itemAdded = (event: LooseEvent, emit: EmitDelta) => {
    const { item } = event;
    if (!item) return;
    const slot = newSlot(event, item);
    place(slot, item);
    calls.settle(emit);
    const early = items.get(slot);
    items.set(slot, early?.item.id === undefined && early ? { ...early, item } : openItem(slot, item));
    if (callItems.reads(item)) callItems.added(slot, item, emit);
  };

  const itemDone = (event: LooseEvent, emit: EmitDelta) => {
    const { item } = event;
    if (!item) return;
    const slot = slotOf(event);
    place(slot, item);
    if (callItems.reads(item)) callItems.done(slot, item, emit);
    else if (item.type === "message") messageDone(slot, item, event, emit);
    else if (item.type === "reasoning") reasoningDone(slot, item, event, emit);
    else if (toldItems.has(item.type)) {
      emit({ type: "custom", name: `${provider}.${item.type}`, value: item });
    } else context.unknown(`response.output_item.${item.type}`, item);
    items.delete(slot);
  };

  const concluded = (response: LooseResponse, emit: EmitDelta) => {
    // A server that does not stream puts everything into the last event; else it repeats what came.
    const output = response.output ?? [];
    if (some) callItems.repeated(output, emit);
    else {
      for (const [output_index, item] of output.entries()) {
        itemDone({ type: "response.output_item.done", output_index, item }, emit);
      }
    }
    callItems.end(emit);
    readUsage(response, emit);
  };

  const readUsage = ({ usage }: LooseResponse, emit: EmitDelta) => {
    if (!usage) return;
    emit({
      type: "usage",
      usage: tokenUsage(provider, model, {
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        totalTokens: usage.total_tokens,
        reasoningTokens: usage.output_tokens_details?.reasoning_tokens,
        cachedInputTokens: usage.input_tokens_details?.cached_tokens,
      }),
    });
  };

  const readResponse = (response: LooseResponse) => {
    if (response.id) answerId = response.id;
    if (response.model) model = response.model;
    if (response.tools)
      customTools = response.tools.flatMap(({ type, name }) => (type === "custom" ? [name] : []));
  };

  const read = (event: LooseEvent, emit: EmitDelta) => {
    const slot = slotOf(event);
    switch (event.type) {
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
      case "response.mcp_call_arguments.delta":
        if (items.get(slot)?.whole) context.unknown(event.type, event);
        else calls.part({ slot, text: event.delta }, emit);
        return;
      case "response.function_call_arguments.done":
      case "response.custom_tool_call_input.done":
      case "response.mcp_call_arguments.done": {
        const text = event.arguments ?? event.input;
        calls.part({ slot, name: event.name }, emit);
        if (typeof text === "string" && text !== "") {
          calls.complete(slot, text, emit);
          (items.get(slot) ?? itemIn(slot, "function_call", event)).whole = true;
        }
        // The item is done when it says so: its own `arguments` have the last word.
        return;
      }
      case "response.output_text.delta":
        readText(slot, event.delta, false, event, emit);
        return;
      case "response.output_text.done":
        if (!items.get(slot)?.streamed) readText(slot, event.text, false, event, emit);
        return;
      case "response.refusal.delta":
        readText(slot, event.delta, true, event, emit);
        return;
      case "response.output_text.annotation.added":
        cite(slot, event.annotation, event, emit);
        return;
      case "response.reasoning_summary_text.delta":
        readReasoning(slot, `summary/${event.summary_index ?? 0}`, event.delta, event, emit);
        return;
      case "response.reasoning_text.delta":
        readReasoning(slot, `content/${event.content_index ?? 0}`, event.delta, event, emit);
        return;
      case "response.code_interpreter_call_code.delta":
        if (typeof event.delta === "string") callItems.code(slot, event.delta, emit);
        return;
      case "response.image_generation_call.partial_image":
        callItems.partialImage(slot, event.partial_image_b64, emit);
        return;
      case "response.output_item.added":
        itemAdded(event, emit);
        return;
      case "response.output_item.done":
        itemDone(event, emit);
        return;
      case "response.created":
        context.begin();
        callItems.begin();
        items.clear();
        slots.clear();
        some = false;
        return;
      case "response.completed":
      case "response.done":
        concluded(event.response ?? {}, emit);
        context.finish("stop", event.response?.status ?? "completed", emit);
        return;
      case "response.incomplete": {
        const raw = event.response?.incomplete_details?.reason ?? "incomplete";
        concluded(event.response ?? {}, emit);
        context.finish(incompleteReasons[raw] ?? "other", raw, emit);
        return;
      }
      case "response.failed":
      case "response.cancelled":
        readUsage(event.response ?? {}, emit);
        context.fail(
          providerFailure(event.response?.error ?? { code: event.type.split(".")[1] }, provider),
          emit,
        );
        return;
      case "error":
        context.fail(providerFailure(event, provider), emit);
        return;
      default:
        if (event.error) context.fail(providerFailure(event, provider), emit);
        else if (event.type?.startsWith("response.audio")) {
          emit({ type: "custom", name: `${provider}.audio`, value: event });
        } else if (!silent.has(event.type) && !progress.test(event.type)) context.unknown(event.type, event);
    }
  };

  return {
    get anonymous() {
      return answerId === undefined && model === undefined;
    },
    get answerId() {
      return answerId;
    },
    get open() {
      return [...items.values()].some(({ item }) => !callItems.reads(item));
    },
    push(chunk, emit) {
      const event = chunk as LooseEvent;
      if (event.response) readResponse(event.response);
      if (event.type?.startsWith("response.output") || event.item) some = true;
      read(event, emit);
    },
    end: (emit) => callItems.end(emit),
  };
}

function openItem(slot: ItemSlot, item: ResponsesItem): OpenItem {
  return { slot, item, key: undefined, streamed: false, whole: false, citations: [] };
}

function partsOf(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? (value as Record<string, unknown>[]) : [];
}
