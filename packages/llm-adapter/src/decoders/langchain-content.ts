import type { EmitDelta } from "../delta.js";
import { encryptedFields, type EncryptedFields } from "../encrypted-values.js";
import { metadataKeys } from "../metadata-keys.js";
import type { DecoderContext } from "./decoder.js";
import { createHostedCalls } from "./hosted-calls.js";

interface MessageContent {
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
  readonly input?: unknown;
  readonly toolCallId?: string;
  readonly tool_call_id?: string;
  readonly tool_use_id?: string;
  readonly output?: unknown;
  readonly content?: unknown;
  readonly annotations?: unknown;
  readonly extras?: { readonly signature?: string };
}

/** Reasoning of OpenAI's Responses API, where LangChain 0 keeps it. */
interface ReasoningKwarg {
  readonly id?: string;
  readonly summary?: readonly { readonly text?: unknown; readonly index?: unknown }[];
  readonly encrypted_content?: unknown;
}

/** Text, reasoning and server tools in a message's content. */
export interface LangChainContentReader {
  /** Reads the content of a message, or of a chunk of one; `run` tells messages apart. */
  read(message: MessageContent, run: string, emit: EmitDelta): void;
}

type BlockReader = (block: Block, key: string, emit: EmitDelta) => void;

// The tool parts of Anthropic's and OpenAI's content stand in `tool_call_chunks` too, and are read there.
const elsewhere = new Set("tool_use input_json_delta tool_call tool_call_chunk function_call".split(" "));

/** Makes the reader: content is a string, or blocks in the words of the provider or of LangChain 1. */
export function createLangChainContentReader(context: DecoderContext): LangChainContentReader {
  const { calls } = context;
  const hosted = createHostedCalls(calls);

  const text: BlockReader = ({ text: words, annotations }, key, emit) => {
    if (words) emit({ type: "text", text: words, key });
    if (Array.isArray(annotations) && annotations.length > 0) {
      emit({ type: "text", text: "", key, metadata: { "agrx.citations": annotations } });
    }
  };

  const reasoning: BlockReader = ({ thinking, reasoning: words, signature, extras }, key, emit) => {
    const reasoned = thinking ?? words ?? "";
    if (reasoned !== "") emit({ type: "reasoning", text: reasoned, key });
    seal(encryptedFields(signature ?? extras?.signature, "anthropic.signature"), key, emit);
  };

  const serverCall: BlockReader = ({ type, id, name, args, input }, key, emit) => {
    const slot = `${key}.server`;
    if (calls.open(slot) === undefined) hosted.start({ slot, id, name, text: args ?? input }, emit);
    else calls.part({ slot, text: args ?? input }, emit);
    if (type === "server_tool_call") calls.end(slot, emit);
  };

  const serverResult: BlockReader = (block, _key, emit) => {
    const id = block.toolCallId ?? block.tool_call_id ?? block.tool_use_id ?? "";
    // A call that came in chunks has no end of its own: its result says that it is whole.
    const slot = calls.find({ id })?.slot;
    if (slot !== undefined) calls.end(slot, emit);
    hosted.result(id, block.output ?? block.content, {}, emit);
  };

  const readers: Readonly<Record<string, BlockReader>> = {
    text,
    text_delta: text,
    output_text: text,
    thinking: reasoning,
    thinking_delta: reasoning,
    signature_delta: reasoning,
    reasoning,
    redacted_thinking: ({ data }, key, emit) =>
      seal(encryptedFields(data, "anthropic.redacted_thinking"), key, emit),
    server_tool_call: serverCall,
    server_tool_call_chunk: serverCall,
    server_tool_use: serverCall,
    server_tool_call_result: serverResult,
    server_tool_result: serverResult,
    web_search_tool_result: serverResult,
    web_fetch_tool_result: serverResult,
    code_execution_tool_result: serverResult,
  };

  const readBlock = (block: Block, run: string, emit: EmitDelta) => {
    const { type = "", index, id = "" } = block;
    const key = `${run}-${index ?? (type.startsWith("server_tool") ? id : 0)}`;
    if (Object.hasOwn(readers, type)) readers[type]!(block, key, emit);
    else if (!elsewhere.has(type)) context.unknown(`content.${type}`, block);
  };

  const readKwargs = (more: Readonly<Record<string, unknown>>, run: string, emit: EmitDelta) => {
    const { reasoning_content, reasoning: item } = more;
    if (typeof reasoning_content === "string" && reasoning_content !== "") {
      emit({ type: "reasoning", text: reasoning_content, key: run });
    }
    if (typeof item !== "object" || item === null) return;
    const { id, summary = [], encrypted_content } = item as ReasoningKwarg;
    const metadata = id ? { metadata: { [metadataKeys.openaiItemId]: id } } : {};
    const key = `${run}-reasoning`;
    for (const { text: words } of summary) {
      if (typeof words === "string" && words !== "") {
        emit({ type: "reasoning", text: words, key, ...metadata });
      }
    }
    const encrypted = encryptedFields(encrypted_content, "openai.encrypted_content");
    if (encrypted) emit({ type: "reasoning", text: "", key, ...encrypted, ...metadata });
  };

  return {
    read({ content, additional_kwargs: more }, run, emit) {
      if (more) readKwargs(more, run, emit);
      if (typeof content === "string") {
        if (content !== "") emit({ type: "text", text: content, key: run });
      } else if (Array.isArray(content)) {
        for (const block of content as readonly (Block | string)[]) {
          readBlock(typeof block === "string" ? { type: "text", text: block } : block, run, emit);
        }
      }
    },
  };
}

function seal(encrypted: EncryptedFields | undefined, key: string, emit: EmitDelta): void {
  if (encrypted) emit({ type: "reasoning", text: "", key, ...encrypted });
}
