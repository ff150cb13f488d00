import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  EMPTY,
  from,
  NEVER,
  range,
  Subject,
  take,
  throwError,
  map,
  toArray,
  type OperatorFunction,
} from "rxjs";
import type { Delta } from "../delta.js";
import { isProviderError } from "../provider-error.js";
import { toToolCalls } from "../to-tool-calls.js";
import { decode } from "./decode.fixture.js";
import type { DecoderOptions } from "./decoder-options.js";

/** What one suite needs to know of a decoder to ask of it what it asks of all. */
export interface DecoderCase {
  readonly name: string;
  readonly decoder: (options?: DecoderOptions) => OperatorFunction<never, Delta>;
  /** Chunks of an answer: one call "f" of `{"a":1}`, with its finish; `id` where the format has ids. */
  readonly call: (id: string) => readonly object[];
  /** Chunks of an answer with the text "hello". */
  readonly text: readonly object[];
  /** A chunk that says that the provider failed. */
  readonly failure: object;
  /** A chunk that this decoder does not know. */
  readonly strange: object;
}

/** Bytes in use once everything that can be freed is. */
function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** One suite over all decoders: what each of them owes. */
export function describeDecoder({ name, decoder, call, text, failure, strange }: DecoderCase): void {
  const decoded = (chunks: readonly object[]) => decode(chunks as never[], decoder());
  const errorsOf = (chunks: readonly object[]) =>
    decoded(chunks).deltas.flatMap((delta) => (delta.type === "error" ? [delta.error] : []));

  describe(name, () => {
    it("reads a call whole", () => {
      const { calls, deltas } = decoded(call("c1"));
      expect(calls).toMatchObject([{ name: "f", arguments: '{"a":1}', args: { a: 1 }, status: "complete" }]);
      expect(deltas.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
    });

    it("keeps the provider's id", () => expect(decoded(call("c1")).calls[0]?.id).toBe("c1"));

    it("reads text", () => {
      const { text: words, deltas } = decoded(text);
      expect(words).toBe("hello");
      expect(deltas.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
    });

    it("reads a failure as an error of the provider", () => {
      const error = decoded([failure]).deltas.at(-1);
      expect(error?.type === "error" && isProviderError(error.error)).toBe(true);
    });

    it("reports text that just ends as truncated", () => {
      expect(errorsOf(text.slice(0, -1))).toMatchObject([{ code: "truncated" }]);
    });

    it("tells of what it does not know, and reads on", () => {
      const unknown: unknown[] = [];
      const { text: words } = decode(
        [strange, ...text] as never[],
        decoder({ onUnknown: (part) => unknown.push(part.decoder) }),
      );
      expect(unknown.length).toBeGreaterThan(0);
      expect(new Set(unknown)).toEqual(new Set([name]));
      expect(words).toBe("hello");
    });

    it("knows everything in a plain answer", () => {
      const unknown: unknown[] = [];
      const onUnknown = (part: unknown) => unknown.push(part);
      decode([...call("c1")] as never[], decoder({ onUnknown }));
      decode([...text] as never[], decoder({ onUnknown }));
      expect(unknown).toEqual([]);
    });

    it("calls the provider by the name it is given", () => {
      const deltas: Delta[] = [];
      from([failure] as never[])
        .pipe(decoder({ provider: "acme" }))
        .subscribe((delta) => deltas.push(delta));
      expect(deltas).toMatchObject([{ type: "error", error: { provider: "acme" } }]);
    });

    it("emits nothing and waits while its source is silent", () => {
      let seen = 0;
      const subscription = NEVER.pipe(decoder()).subscribe({ next: () => seen++, complete: () => seen++ });
      expect(seen).toBe(0);
      subscription.unsubscribe();
    });

    it("reports an empty stream as truncated", () => {
      const deltas: Delta[] = [];
      EMPTY.pipe(decoder()).subscribe((delta) => deltas.push(delta));
      expect(deltas).toMatchObject([{ type: "error", error: { code: "truncated" } }]);
    });

    it("passes its source's error on, after what was open", () => {
      const failed = new Error("socket");
      let error: unknown;
      throwError(() => failed)
        .pipe(decoder())
        .subscribe({ error: (cause: unknown) => (error = cause) });
      expect(error).toBe(failed);
    });

    it("leaves its source when its subscriber leaves", () => {
      const source = new Subject<never>();
      const subscription = source.pipe(decoder()).subscribe();
      expect(source.observed).toBe(true);
      subscription.unsubscribe();
      expect(source.observed).toBe(false);
    });

    it("keeps nothing from one subscriber to the next", () => {
      const answer$ = from(call("c1") as never[]).pipe(decoder(), toArray());
      const seen: unknown[] = [];
      answer$.subscribe((deltas) => seen.push(deltas));
      answer$.subscribe((deltas) => seen.push(deltas));
      expect(seen[1]).toEqual(seen[0]);
    });

    it("stops an endless synchronous source when enough has come", () => {
      let sent = 0;
      const chunks = [...text.slice(0, -1), ...call("c1")];
      const endless$ = range(0, Number.MAX_SAFE_INTEGER).pipe(
        map((at) => (sent++, chunks[at % chunks.length] as never)),
      );
      const deltas: Delta[] = [];
      endless$.pipe(decoder(), take(3)).subscribe((delta) => deltas.push(delta));
      expect(deltas).toHaveLength(3);
      expect(sent).toBeLessThan(100);
    });

    it("errors with what a callback throws", () => {
      const thrown = new Error("callback");
      let error: unknown;
      from([strange] as never[])
        .pipe(
          decoder({
            onUnknown: () => {
              throw thrown;
            },
          }),
        )
        .subscribe({ error: (cause: unknown) => (error = cause) });
      expect(error).toBe(thrown);
    });

    // A collection costs a fifth of a second: in a short test only the shared half is asked (to-tool-calls.test.ts).
    (process.env["AGRX_SOAK"] ? it : it.skip)(
      "keeps the memory flat over many calls of one stream",
      () => {
        const count = 200_000;
        const source = new Subject<never>();
        let calls = 0;
        let early = 0;
        source.pipe(decoder(), toToolCalls()).subscribe(() => calls++);
        for (let n = 0; n < count; n++) {
          for (const chunk of call(`call_${n}`)) source.next(chunk as never);
          if (n === count / 4) early = heapUsed();
        }
        expect(heapUsed() - early).toBeLessThan(2_000_000);
        expect(calls).toBe(count);
      },
      300_000,
    );

    it("does not change its chunks", () => {
      const chunks = [...call("c1"), ...text];
      const before = JSON.stringify(chunks);
      from(chunks as never[])
        .pipe(decoder(), toToolCalls())
        .subscribe({ error: () => undefined });
      expect(JSON.stringify(chunks)).toBe(before);
    });
  });
}
