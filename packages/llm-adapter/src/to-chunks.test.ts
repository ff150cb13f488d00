import { cutEverywhere } from "@agrx/core/testing";
import { from, NEVER, of, Subject, take } from "rxjs";
import { toChunks, type ToChunksOptions } from "./to-chunks.js";

function chunksOf(pieces: readonly (Uint8Array | string)[], options?: ToChunksOptions) {
  const chunks: unknown[] = [];
  let error: unknown;
  from(pieces)
    .pipe(toChunks<unknown>(options))
    .subscribe({ next: (chunk) => chunks.push(chunk), error: (cause: unknown) => (error = cause) });
  return { chunks, error };
}

const body = 'data: {"a":"名"}\r\n\r\n: ping\r\n\r\nevent: x\ndata:{"b":2}\n\ndata: [DONE]\n\n';

describe("toChunks", () => {
  it("gives the same for a body however its bytes are cut", () => {
    for (const pieces of cutEverywhere(new TextEncoder().encode(body))) {
      expect(chunksOf(pieces)).toEqual({ chunks: [{ a: "名" }, { b: 2 }], error: undefined });
    }
  });

  it("reads lines of JSON, the last one also without its line end", () => {
    for (const pieces of cutEverywhere('{"a":1}\r\n\n{"b":"\\n"}')) {
      expect(chunksOf(pieces, { format: "ndjson" })).toEqual({
        chunks: [{ a: 1 }, { b: "\n" }],
        error: undefined,
      });
    }
  });

  it("reads a last event that lacks its empty line", () => {
    expect(chunksOf(['data: {"a":1}\n']).chunks).toEqual([{ a: 1 }]);
  });

  it("gives an error event whose data does not say so as an error", () => {
    expect(chunksOf(['event: error\ndata: {"message":"no"}\n\n']).chunks).toEqual([
      { error: { message: "no" } },
    ]);
    expect(chunksOf(['event: error\ndata: {"type":"error"}\n\n']).chunks).toEqual([{ type: "error" }]);
  });

  it("errors on data that is no JSON, and does not show it", () => {
    const { error } = chunksOf(["data: {secret}\n\n"], { provider: "acme" });
    expect(error).toMatchObject({
      name: "ProviderError",
      code: "malformed-chunk",
      provider: "acme",
      retryable: true,
    });
    expect(String(error)).not.toContain("secret");
  });

  it("errors when the body ends inside a chunk", () => {
    expect(chunksOf(['data: {"a":1}\n\ndata: {"b"']).error).toMatchObject({ code: "truncated" });
    expect(chunksOf(['{"a":1}\n{"b"'], { format: "ndjson" }).error).toMatchObject({ code: "truncated" });
  });

  it("is empty with its source, silent with it, and leaves it at once", () => {
    expect(chunksOf([])).toEqual({ chunks: [], error: undefined });
    NEVER.pipe(toChunks()).subscribe().unsubscribe();
    const source = new Subject<string>();
    source.pipe(toChunks()).subscribe().unsubscribe();
    expect(source.observed).toBe(false);
  });

  it("stops inside a piece when enough has come", () => {
    const chunks: unknown[] = [];
    of("data: 1\n\ndata: 2\n\ndata: {\n\n")
      .pipe(toChunks<unknown>(), take(2))
      .subscribe((chunk) => chunks.push(chunk));
    expect(chunks).toEqual([1, 2]);
  });
});
