import type { ContentPart, Metadata } from "@agrx/core";
import type { EmitDelta } from "../delta.js";
import { metadataKeys } from "../metadata-keys.js";
import type { DecoderContext } from "./decoder.js";
import { createPartialArgumentsWriter, type PartialArgumentsWriter } from "./partial-arguments.js";
import { idOf, type ItemSlot, type ResponsesItem } from "./responses-item.js";
import { createSeenItems } from "./responses-seen-items.js";

/** Reads the items that are calls, the client's and the provider's own. */
export interface CallItems {
  /** Whether an item is a call or the result of one. */
  reads(item: ResponsesItem): boolean;
  added(slot: ItemSlot, item: ResponsesItem, emit: EmitDelta): void;
  done(slot: ItemSlot, item: ResponsesItem, emit: EmitDelta): void;
  /** A fragment of the code that the provider's interpreter will run. */
  code(slot: ItemSlot, fragment: string, emit: EmitDelta): void;
  /** A picture that is not finished yet. */
  partialImage(slot: ItemSlot, image: unknown, emit: EmitDelta): void;
  /** The items as the response's last event repeats them: what had not come of the calls comes now. */
  repeated(output: readonly ResponsesItem[], emit: EmitDelta): void;
  /** Another response begins. */
  begin(): void;
  /** The answer ended: shell calls whose output did not come are the client's. */
  end(emit: EmitDelta): void;
}

/** How a type of item is a call: who runs it, and which of its fields are arguments and result. */
interface CallRow {
  readonly hosted?: true;
  readonly custom?: true;
  /** The item's arguments as a value; absent where `arguments` or `input` holds their text. */
  readonly input?: (item: ResponsesItem) => unknown;
  readonly result?: (item: ResponsesItem) => unknown;
}

/** A tool of the provider's own whose arguments stand in the item as text. */
const hostedRow: CallRow = {
  hosted: true,
  result: (item) => pick(item, "status", "action", "output", "results"),
};

const callRows: Readonly<Record<string, CallRow>> = {
  function_call: {},
  custom_tool_call: { custom: true },
  mcp_call: { hosted: true, result: ({ error, output }) => error ?? output },
  web_search_call: {
    hosted: true,
    input: (item) => item.arguments ?? item["action"],
    result: (item) => pick(item, "action", "sources", "results"),
  },
  file_search_call: {
    hosted: true,
    input: (item) => pick(item, "queries"),
    result: (item) => pick(item, "queries", "results"),
  },
  code_interpreter_call: {
    hosted: true,
    input: (item) => item.arguments ?? pick(item, "code"),
    result: (item) => pick(item, "outputs", "container_id"),
  },
  image_generation_call: {
    hosted: true,
    input: (item) => pick(item, "prompt", "revised_prompt"),
    result: (item) => pick(item, "result", "output_format"),
  },
  x_search_call: hostedRow,
  code_execution_call: hostedRow,
  view_image_call: hostedRow,
  view_x_video_call: hostedRow,
  program: { hosted: true, input: (item) => pick(item, "code") },
  // The client runs these: the whole of what it is to do stands in the item.
  shell_call: { input: (item) => pick(item, "action") },
  local_shell_call: { input: (item) => pick(item, "action") },
  apply_patch_call: { input: (item) => pick(item, "operation") },
  computer_call: { input: (item) => pick(item, "action", "actions", "pending_safety_checks") },
  tool_search_call: { input: (item) => item.arguments },
};

/** Items that say their tool's name; the others are named by their type. */
const namedTypes: ReadonlySet<string> = new Set(["function_call", "custom_tool_call", "mcp_call"]);

/** Items that answer a call which the provider ran. */
const resultTypes: ReadonlySet<string> = new Set([
  "shell_call_output",
  "tool_search_output",
  "program_output",
]);

/** What {@link createCallItems} asks of the response. */
export interface CallItemsOptions {
  /** Whether a custom tool's call is of a tool of the provider's own. */
  readonly ownTool: (item: ResponsesItem) => boolean;
}

/** Makes the reader of the calls of a stream's responses. */
export function createCallItems(context: DecoderContext, { ownTool }: CallItemsOptions): CallItems {
  const { calls } = context;
  const writers = new Map<ItemSlot, PartialArgumentsWriter>();
  /** Calls that the provider runs, until their results come: by slot and by id. */
  const running = new Map<ItemSlot, { readonly key: string; readonly id: string }>();
  /** Shell calls of which nothing says yet who runs them. */
  const undecided = new Map<ItemSlot, ResponsesItem>();
  const seen = createSeenItems();

  const rowOf = (item: ResponsesItem): CallRow | undefined =>
    item.type === "custom_tool_call" && ownTool(item) ? hostedRow : callRows[item.type];

  /** Begins a call; of the client's calls only a done one goes by its item's id, since a call id may still come. */
  const start = (slot: ItemSlot, item: ResponsesItem, row: CallRow, isDone: boolean, emit: EmitDelta) => {
    const hosted = isHosted(item, row);
    const id = hosted || isDone ? idOf(item) : item.call_id || undefined;
    calls.part(
      {
        slot,
        id,
        name: item.name || (namedTypes.has(item.type) ? undefined : item.type.replace(/_call$/, "")),
        settled: id !== undefined || isDone,
        custom: row.custom === true,
        providerExecuted: hosted,
        ...(typeof slot === "number" && { index: slot }),
        metadata: callMetadata(item),
      },
      emit,
    );
    const call = calls.open(slot);
    if (!hosted || call?.id === undefined) return;
    running.set(slot, { key: call.key, id: call.id });
    running.set(id ?? call.id, { key: call.key, id: call.id });
  };

  const result = (slot: ItemSlot, item: ResponsesItem, value: unknown, emit: EmitDelta) => {
    const id = item.call_id || item.id || String(slot);
    const call = running.get(slot) ?? running.get(id) ?? { key: id, id };
    const failed = item.status === "failed" || Boolean(item["error"]);
    const content = imageOf(item);
    emit({
      type: "tool-result",
      ...call,
      result: value,
      ...(content !== undefined && { content }),
      ...(failed && { isError: true }),
    });
    running.delete(slot);
    running.delete(id);
  };

  const whole = (slot: ItemSlot, item: ResponsesItem, row: CallRow, emit: EmitDelta) => {
    const begun = calls.open(slot);
    if (begun?.id === undefined || begun.name === undefined) start(slot, item, row, true, emit);
    const writer = writers.get(slot);
    const text = writer === undefined ? textOf(item, row) : undefined;
    if (writer !== undefined) calls.part({ slot, text: writer.end() }, emit);
    writers.delete(slot);
    if (text) calls.complete(slot, text, emit);
    // An item that was cut is done, but not whole: the response's end says what becomes of it.
    if (item.status !== "incomplete") calls.end(slot, emit);
    if (row.result && isHosted(item, row)) {
      calls.settle(emit);
      result(slot, item, row.result(item), emit);
    }
  };

  const readResult = (item: ResponsesItem, emit: EmitDelta) => {
    const id = item.call_id;
    for (const [slot, shell] of undecided) {
      if (shell.call_id !== id) continue;
      undecided.delete(slot);
      whole(slot, shell, { ...callRows["shell_call"], hosted: true }, emit);
    }
    const value = pick(item, "output", "tools", "result");
    // A hosted search's output names no call: it answers the one that runs.
    const slot = id ?? [...running.keys()].at(-1) ?? "";
    result(slot, item, value, emit);
  };

  return {
    reads: ({ type }) => Object.hasOwn(callRows, type) || resultTypes.has(type),
    added(slot, item, emit) {
      const row = rowOf(item);
      seen.note(slot, item, false);
      // Of a call that the client runs whole, the id may still change until it is done.
      if (row === undefined || (row.input && !isHosted(item, row))) return;
      start(slot, item, row, false, emit);
      // Some servers send the whole arguments at once, and no fragments.
      if (typeof item.arguments === "string" && item.arguments !== "" && !row.input) {
        calls.part({ slot, text: item.arguments }, emit);
      }
    },
    done(slot, item, emit) {
      const row = rowOf(item);
      seen.note(slot, item, true);
      if (row === undefined) readResult(item, emit);
      else if (item.type === "shell_call" && !item["environment"]) undecided.set(slot, item);
      else whole(slot, item, row, emit);
    },
    code(slot, fragment, emit) {
      let writer = writers.get(slot);
      if (writer === undefined) writers.set(slot, (writer = createPartialArgumentsWriter()));
      calls.part({ slot, text: writer.write({ path: "$.code", value: fragment, willContinue: true }) }, emit);
    },
    partialImage(slot, image, emit) {
      const call = running.get(slot);
      if (call !== undefined) emit({ type: "tool-result", ...call, result: image, preliminary: true });
    },
    repeated(output, emit) {
      for (const [at, known] of seen.match(output).entries()) {
        const item = output[at]!;
        const row = rowOf(item);
        // Servers may leave out an item's own end, its id, or all of its events (anomalyco/opencode#46084).
        if (row === undefined || known?.isDone) continue;
        const begun = calls.open(at);
        const nameless = begun !== undefined && begun.name === undefined;
        whole(known?.slot ?? (nameless ? at : `${item.type}/${at}`), item, row, emit);
      }
    },
    begin: () => seen.clear(),
    end(emit) {
      for (const [slot, item] of undecided) whole(slot, item, callRows["shell_call"]!, emit);
      undecided.clear();
    },
  };
}

function isHosted(item: ResponsesItem, row: CallRow): boolean {
  if (item.type === "tool_search_call") return item["execution"] !== "client";
  const environment = item["environment"] as { readonly type?: unknown } | null | undefined;
  return row.hosted === true || (environment?.type !== undefined && environment.type !== "local");
}

function callMetadata(item: ResponsesItem): Metadata | undefined {
  const { id, caller, namespace, server_label } = item;
  const metadata = {
    ...(id && item.call_id ? { [metadataKeys.openaiItemId]: id } : {}),
    ...(item.type !== "function_call" && { "openai.itemType": item.type }),
    ...(caller ? { "openai.caller": caller } : {}),
    ...(namespace ? { "openai.namespace": namespace } : {}),
    ...(server_label ? { "openai.serverLabel": server_label } : {}),
  };
  return Object.keys(metadata).length === 0 ? undefined : metadata;
}

function textOf(item: ResponsesItem, row: CallRow): string | undefined {
  const input = row.input ? row.input(item) : (item.input ?? item.arguments);
  if (input === undefined || input === null) return undefined;
  return typeof input === "string" ? input : JSON.stringify(input);
}

/** A generated picture as a part, so that whoever shows the result can show it. */
function imageOf({ type, result, output_format }: ResponsesItem): readonly ContentPart[] | undefined {
  if (type !== "image_generation_call" || typeof result !== "string") return undefined;
  const mimeType = `image/${typeof output_format === "string" ? output_format : "png"}`;
  return [{ type: "image", source: { type: "data", value: result, mimeType } }];
}

function pick(item: ResponsesItem, ...fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter((field) => item[field] != null).map((field) => [field, item[field]]),
  );
}
