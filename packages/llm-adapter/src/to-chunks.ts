import { stateful, type Machine } from "@agrx/core";
import { createParser } from "eventsource-parser";
import type { OperatorFunction } from "rxjs";
import { ProviderError } from "./provider-error.js";

/** What {@link toChunks} takes. */
export interface ToChunksOptions {
  /** How the body is framed: server-sent events, or one JSON text a line as Ollama sends it. Default: "sse". */
  readonly format?: "sse" | "ndjson";
  /** Lower-case vendor id, for errors. Default: "unknown". */
  readonly provider?: string;
}

/**
 * Makes chunks of the body of a provider's streaming answer, for those who call a provider without its SDK.
 *
 * In: bytes or text, cut anywhere, inside a character too. Out: the JSON of each event, or each line, ready for a
 * decoder. Lines end in LF, CR or CRLF. Comments are skipped, also as data (`data: : PROCESSING`), and so is
 * `[DONE]`. Synchronous; completes with the source. Errors with a {@link ProviderError}: `malformed-chunk` on
 * what is no JSON, `truncated` when the source completes inside a chunk.
 *
 * ```text
 * body    --b-----b--b--b--|     b: some bytes
 * chunks  --(cc)-----c--c--|     c: a chunk
 * ```
 *
 * @example
 * ```ts
 * import { openaiChat, toChunks, toToolCalls } from "@agrx/llm-adapter";
 * import { of } from "rxjs";
 *
 * of(': ping\n\ndata: {"choices":[{"delta":{"content":', '"Hi"}}]}\n\ndata: [DONE]\n\n')
 *   .pipe(toChunks(), openaiChat())
 *   .subscribe((delta) => console.log(delta.type === "text" ? delta.text : delta.type)); // Hi, finish
 * ```
 */
export function toChunks<Chunk = never>(
  options: ToChunksOptions = {},
): OperatorFunction<Uint8Array | string, Chunk> {
  return stateful(() => createChunkReader<Chunk>(options));
}

function createChunkReader<Chunk>({
  format = "sse",
  provider = "unknown",
}: ToChunksOptions): Machine<Uint8Array | string, Chunk> {
  const utf8 = new TextDecoder();
  let ending = false;
  let emitChunk: (chunk: Chunk) => void;

  const read = (data: string, event?: string) => {
    if (data === "" || data === "[DONE]" || data.startsWith(":")) return;
    const chunk = parse(data);
    emitChunk((event === "error" && !saysItIsAnError(chunk) ? { error: chunk } : chunk) as Chunk);
  };

  const parse = (data: string): unknown => {
    try {
      return JSON.parse(data);
    } catch {
      // The engine's own message quotes the payload.
      throw ending ? cut(provider) : malformed(provider, data.length);
    }
  };

  const feed = format === "sse" ? sseFeed(read) : lineFeed(read);

  return {
    push(fragment, emit) {
      emitChunk = emit;
      feed(typeof fragment === "string" ? fragment : utf8.decode(fragment, { stream: true }));
    },
    end(emit) {
      emitChunk = emit;
      ending = true;
      // A server may forget the empty line, or the line's end, behind its last chunk.
      feed(`${utf8.decode()}\n\n`);
    },
  };
}

function sseFeed(read: (data: string, event?: string) => void): (text: string) => void {
  const parser = createParser({ onEvent: ({ data, event }) => read(data, event) });
  return (text) => parser.feed(text);
}

function lineFeed(read: (line: string) => void): (text: string) => void {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) read(line.trim());
  };
}

function saysItIsAnError(chunk: unknown): boolean {
  return typeof chunk === "object" && chunk !== null && ("error" in chunk || "type" in chunk);
}

function malformed(provider: string, length: number): ProviderError {
  return new ProviderError({
    code: "malformed-chunk",
    message: `"${provider}" sent a chunk of ${length} characters that is no JSON. Send the request again.`,
    retryable: true,
    provider,
  });
}

function cut(provider: string): ProviderError {
  return new ProviderError({
    code: "truncated",
    message: `The stream of "${provider}" ended inside a chunk: the connection was cut. Send the request again.`,
    retryable: true,
    provider,
  });
}
