import type { Metadata } from "@agrx/core";
import type { EmitDelta } from "../delta.js";
import { encryptedFields, type EncryptedValueType } from "../encrypted-values.js";
import { metadataKeys } from "../metadata-keys.js";
import type { DecoderContext } from "./decoder.js";

/** Text, reasoning and citations in the ways of chat completions. */
export interface ChatContentReader {
  /** Reads content: a string, or an array of typed parts. */
  text(content: unknown, logprobs: unknown, emit: EmitDelta): void;
  /** Reads reasoning from whichever field holds it, once. */
  reasoning(content: unknown, reasoning: unknown, details: unknown, emit: EmitDelta): void;
  /** Reads OpenAI's annotations of the text. */
  annotations(annotations: unknown, emit: EmitDelta): void;
  /** Reads the sources that Perplexity sends beside the text. */
  cite(citations: unknown, results: unknown, emit: EmitDelta): void;
}

/** Makes the reader of one answer's content. */
export function createChatContentReader(context: DecoderContext): ChatContentReader {
  let annotations: readonly unknown[] = [];

  const readPart = (part: Record<string, unknown>, emit: EmitDelta) => {
    if (typeof part["text"] === "string") {
      if (part["text"] !== "") emit({ type: "text", text: part["text"] });
    } else if (part["type"] === "thinking") {
      for (const thought of listOf(part["thinking"])) {
        const text = typeof thought === "string" ? thought : fieldsOf(thought)["text"];
        if (typeof text === "string") emitReasoning(text, emit);
        else context.unknown("choices.0.delta.content.thinking", thought);
      }
      const signed = encryptedFields(part["signature"], "mistral.signature");
      if (signed) emit({ type: "reasoning", text: "", ...signed });
    } else if (part["type"] === "reference") {
      cite({ "agrx.citations": (annotations = [...annotations, part]) }, emit);
    } else context.unknown("choices.0.delta.content", part);
  };

  /** Reads one of OpenRouter's reasoning details; those of one type and index are one block. Gives whether it told words. */
  const readDetail = (detail: Record<string, unknown>, emit: EmitDelta): boolean => {
    const { text, summary, data, signature, ...rest } = detail;
    const type = typeof rest["type"] === "string" ? detailTypes[rest["type"]] : undefined;
    if (type === undefined) {
      context.unknown("choices.0.delta.reasoning_details", detail);
      return false;
    }
    const words = wordsOf(text ?? summary);
    const key = `${type}/${String(Number(rest["index"] ?? 0))}`;
    const secret = encryptedFields(data ?? signature, type);
    if (words === undefined && secret === undefined) return false;
    const metadata = { [metadataKeys.openrouterDetail]: rest };
    emit({ type: "reasoning", text: words ?? "", key, metadata, ...secret });
    return words !== undefined;
  };

  return {
    text(content, logprobs, emit) {
      if (typeof content === "string") {
        if (!logprobs) emit({ type: "text", text: content });
        else emit({ type: "text", text: content, metadata: { "agrx.logprobs": logprobs } });
        return;
      }
      for (const part of listOf(content)) readPart(fieldsOf(part), emit);
    },
    reasoning(content, reasoning, details, emit) {
      // The same text stands in two or three fields on some servers (strands-agents/harness-sdk#2182).
      const told = listOf(details).map((detail) => readDetail(fieldsOf(detail), emit));
      if (told.includes(true)) return;
      const text = wordsOf(content) ?? wordsOf(reasoning);
      if (text !== undefined) emitReasoning(text, emit);
      else if (typeof reasoning === "object" && reasoning !== null) {
        context.unknown("choices.0.delta.reasoning", reasoning);
      }
    },
    annotations(given, emit) {
      const added = listOf(given);
      if (added.length > 0) cite({ "agrx.citations": (annotations = [...annotations, ...added]) }, emit);
    },
    cite(citations, results, emit) {
      cite(
        {
          ...(citations ? { "agrx.citations": citations } : {}),
          ...(results ? { "agrx.sources": results } : {}),
        },
        emit,
      );
    },
  };
}

const detailTypes: Readonly<Record<string, EncryptedValueType>> = {
  "reasoning.text": "openrouter.reasoning.text",
  "reasoning.summary": "openrouter.reasoning.summary",
  "reasoning.encrypted": "openrouter.reasoning.encrypted",
};

function emitReasoning(text: string, emit: EmitDelta): void {
  if (text !== "") emit({ type: "reasoning", text });
}

function cite(metadata: Metadata, emit: EmitDelta): void {
  emit({ type: "text", text: "", metadata });
}

function wordsOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : { text: value };
}
