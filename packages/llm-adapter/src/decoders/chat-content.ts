import type { Metadata } from "@agrx/core";
import type { EmitDelta } from "../delta.js";
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
      if (typeof part["signature"] === "string") {
        emit({
          type: "reasoning",
          text: "",
          encryptedValue: part["signature"],
          encryptedValueType: "signature",
        });
      }
    } else if (part["type"] === "reference") {
      cite({ "agrx.citations": (annotations = [...annotations, part]) }, emit);
    } else context.unknown("choices.0.delta.content", part);
  };

  const readDetail = (detail: Record<string, unknown>, withText: boolean, emit: EmitDelta) => {
    const { type, text, summary, data, signature, ...metadata } = detail;
    const words = text ?? summary;
    const secret = data ?? signature;
    if (withText && typeof words === "string") emitReasoning(words, emit);
    if (typeof secret === "string" && secret !== "") {
      const encryptedValueType = typeof type === "string" ? type : "reasoning";
      emit({ type: "reasoning", text: "", encryptedValue: secret, encryptedValueType, metadata });
    }
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
      // The same text stands in both fields on some servers (strands-agents/harness-sdk#2182).
      const text = wordsOf(content) ?? wordsOf(reasoning);
      if (text !== undefined) emitReasoning(text, emit);
      if (details)
        for (const detail of listOf(details)) readDetail(fieldsOf(detail), text === undefined, emit);
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
