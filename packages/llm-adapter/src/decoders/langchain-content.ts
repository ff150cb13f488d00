import type { EmitDelta } from "../delta.js";
import type { DecoderContext } from "./decoder.js";

interface MessageContent {
  readonly id?: string;
  readonly content?: unknown;
  readonly additional_kwargs?: Readonly<Record<string, unknown>>;
}

interface Block {
  readonly type?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly reasoning?: string;
  readonly signature?: string;
  readonly data?: string;
  readonly index?: string | number;
  readonly id?: string;
  readonly name?: string;
  readonly args?: unknown;
  readonly toolCallId?: string;
  readonly tool_call_id?: string;
  readonly output?: unknown;
  readonly annotations?: unknown;
}

/** Text, reasoning and server tools in a message's content. */
export interface LangChainContentReader {
  read(message: MessageContent, run: string, emit: EmitDelta): void;
}

// The tool parts of Anthropic's content stand in `tool_call_chunks` too, and are read there.
const elsewhere = new Set(["tool_use", "input_json_delta", "tool_call", "tool_call_chunk", "function_call"]);

/** Makes the reader: content is a string, or blocks in the words of the provider or of LangChain 1. */
export function createLangChainContentReader(context: DecoderContext): LangChainContentReader {
  const { calls } = context;
  const serverCalls = new Map<string, string>();

  const readBlock = (block: Block, message: string, run: string, emit: EmitDelta) => {
    const key = `${message}-${block.index ?? 0}`;
    const type = block.type ?? "";
    if (type.startsWith("text")) {
      if (block.text) emit({ type: "text", text: block.text, key });
      if (Array.isArray(block.annotations) && block.annotations.length > 0) {
        emit({ type: "text", text: "", key, metadata: { "agrx.citations": block.annotations } });
      }
    } else if (type.startsWith("thinking") || type === "signature_delta" || type === "reasoning") {
      const text = block.thinking ?? block.reasoning ?? "";
      if (text !== "") emit({ type: "reasoning", text, key });
      if (block.signature) {
        const encryptedValueType = "anthropic.signature";
        emit({ type: "reasoning", text: "", key, encryptedValue: block.signature, encryptedValueType });
      }
    } else if (type === "redacted_thinking" && block.data) {
      const encryptedValueType = "anthropic.redacted_thinking";
      emit({ type: "reasoning", text: "", key, encryptedValue: block.data, encryptedValueType });
    } else if (type.startsWith("server_tool_call") && !type.endsWith("result")) {
      const slot = `${run}.server.${block.index ?? block.id ?? ""}`;
      const { id, name, args } = block;
      calls.part({ slot, id, name, text: args, providerExecuted: true, settled: true }, emit);
      const open = calls.open(slot);
      if (open?.id !== undefined) serverCalls.set(open.id, slot);
      if (type === "server_tool_call") calls.end(slot, emit);
    } else if (type === "server_tool_call_result" || type === "server_tool_result") {
      const id = block.toolCallId ?? block.tool_call_id ?? "";
      const slot = serverCalls.get(id);
      const key = (slot !== undefined && calls.open(slot)?.key) || id;
      if (slot !== undefined) calls.end(slot, emit);
      emit({ type: "tool-result", key, id, result: block.output });
    } else if (!elsewhere.has(type)) {
      context.unknown(`content.${type}`, block);
    }
  };

  return {
    read({ id = "", content, additional_kwargs: more }, run, emit) {
      const message = `${run}-${id}`;
      const thought = more?.["reasoning_content"];
      if (typeof thought === "string" && thought !== "")
        emit({ type: "reasoning", text: thought, key: message });
      if (typeof content === "string") {
        if (content !== "") emit({ type: "text", text: content, key: message });
      } else if (Array.isArray(content)) {
        for (const block of content as readonly (Block | string)[]) {
          readBlock(typeof block === "string" ? { type: "text", text: block } : block, message, run, emit);
        }
      }
    },
  };
}
