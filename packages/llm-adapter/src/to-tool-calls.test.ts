import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ToolCall } from "@agrx/core";
import { EMPTY, from, map, NEVER, range, Subject, take } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { openaiChat, type OpenAIChatChunk } from "./decoders/index.js";
import type { Delta } from "./delta.js";
import { ProviderError } from "./provider-error.js";
import { toToolCalls } from "./to-tool-calls.js";

const start = (key: string, fields: object = {}): Delta => ({
  type: "tool-call-start",
  key,
  id: `call-${key}`,
  name: "f",
  ...fields,
});
const fragment = (key: string, text: string): Delta => ({ type: "tool-call-fragment", key, text });
const end = (key: string): Delta => ({ type: "tool-call-end", key, status: "complete" });
const cut = (key: string): Delta => ({ type: "tool-call-end", key, status: "incomplete" });

function callsOf(...deltas: Delta[]) {
  const calls: ToolCall[] = [];
  let error: unknown;
  from(deltas)
    .pipe(toToolCalls())
    .subscribe({ next: (call) => calls.push(call), error: (cause: unknown) => (error = cause) });
  return { calls, error };
}

describe("toToolCalls", () => {
  it("gives each call when it ends, and keeps the arguments of two calls apart when their fragments alternate", () => {
    new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(
      ({ hot, expectObservable, expectSubscriptions }) => {
        const deltas = {
          s: start("1"),
          t: start("2"),
          a: fragment("1", "{"),
          b: fragment("2", "["),
          c: fragment("1", "}"),
          d: fragment("2", "]"),
          e: end("1"),
          f: end("2"),
          x: { type: "text", text: "x" } as Delta,
        };
        const source = hot("  --s--t--a--b--x--c--d--f--e--|", deltas);
        const subs = "        ^----------------------------!";
        const expected = "    -----------------------2--1--|";
        expectObservable(source.pipe(toToolCalls())).toBe(expected, {
          1: { id: "call-1", name: "f", arguments: "{}", args: {}, status: "complete" },
          2: { id: "call-2", name: "f", arguments: "[]", args: [], status: "complete" },
        });
        expectSubscriptions(source.subscriptions).toBe(subs);
      },
    );
  });

  it.each([
    ["whole JSON is complete", '{"a":1}', end("1"), { status: "complete", args: { a: 1 } }],
    [
      "text that is no JSON is invalid, and kept",
      '{"a":1}}',
      end("1"),
      { status: "invalid", args: undefined },
    ],
    [
      "a cut call is incomplete, and its text is kept",
      '{"a":',
      cut("1"),
      { status: "incomplete", args: undefined },
    ],
  ])("%s", (_, text, ending, fields) => {
    expect(callsOf(start("1"), fragment("1", text), ending).calls).toMatchObject([
      { arguments: text, ...fields },
    ]);
  });

  it("gives a custom tool's text as arguments and as value", () => {
    const { calls } = callsOf(start("1", { custom: true }), fragment("1", "SELECT 1"), end("1"));
    expect(calls).toMatchObject([{ arguments: "SELECT 1", args: "SELECT 1", status: "complete" }]);
  });

  it("keeps position and who runs the tool", () => {
    expect(callsOf(start("1", { index: 3, providerExecuted: true }), end("1")).calls).toMatchObject([
      { index: 3, providerExecuted: true },
    ]);
  });

  it("errors with the provider's error, after the calls that it cut", () => {
    const failed = new ProviderError({ code: "x", message: "no", retryable: true, provider: "acme" });
    const { calls, error } = callsOf(start("1"), fragment("1", "{}"), cut("1"), {
      type: "error",
      error: failed,
    });
    expect(calls).toMatchObject([{ status: "incomplete" }]);
    expect(error).toBe(failed);
  });

  it("gives a call that no end came for as incomplete", () => {
    expect(callsOf(start("1"), fragment("1", "{}")).calls).toMatchObject([
      { status: "incomplete", arguments: "{}" },
    ]);
  });

  it("opens another call when a key comes again after its end", () => {
    const once = [start("1"), fragment("1", "{}"), end("1")];
    expect(callsOf(...once, ...once).calls).toHaveLength(2);
  });

  it("passes over fragments of a call that never started", () => {
    expect(callsOf(fragment("9", "{}"), end("9"))).toEqual({ calls: [], error: undefined });
  });

  it("is silent with its source, empty with it, and leaves it at once", () => {
    let seen = 0;
    EMPTY.pipe(toToolCalls()).subscribe(() => seen++);
    NEVER.pipe(toToolCalls())
      .subscribe(() => seen++)
      .unsubscribe();
    const source = new Subject<Delta>();
    source
      .pipe(toToolCalls())
      .subscribe(() => seen++)
      .unsubscribe();
    expect(source.observed).toBe(false);
    expect(seen).toBe(0);
  });

  it("stops an endless synchronous source when enough calls have come", () => {
    const deltas = [start("1"), fragment("1", "{}"), end("1")];
    const calls: ToolCall[] = [];
    range(0, Number.MAX_SAFE_INTEGER)
      .pipe(
        map((at) => deltas[at % 3]!),
        toToolCalls(),
        take(3),
      )
      .subscribe((call) => calls.push(call));
    expect(calls).toHaveLength(3);
  });

  it("frees a call with its end: many calls of one stream keep the memory flat, a decoder included", () => {
    const count = process.env["AGRX_SOAK"] ? 1_000_000 : 20_000;
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const heapUsed = () => (collect(), process.memoryUsage().heapUsed);
    const chunk = (delta: object, finish_reason?: string) => ({
      choices: [{ index: 0, delta, ...(finish_reason !== undefined && { finish_reason }) }],
    });
    const source = new Subject<OpenAIChatChunk>();
    let seen = 0;
    let early = 0;
    source.pipe(openaiChat(), toToolCalls()).subscribe(() => seen++);
    for (let n = 0; n < count; n++) {
      source.next(
        chunk({ tool_calls: [{ index: 0, id: `call_${n}`, function: { name: "f", arguments: "{" } }] }),
      );
      source.next(chunk({ tool_calls: [{ index: 0, function: { arguments: `"n":${n}}` } }] }, "tool_calls"));
      if (n === count / 4) early = heapUsed();
    }
    expect(seen).toBe(count);
    expect(heapUsed() - early).toBeLessThan(1_500_000);
  }, 120_000);
});
