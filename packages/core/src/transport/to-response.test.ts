import { connect as dial } from "node:net";
import { concat, from, interval, map, NEVER, Observable, of, range, throwError, timer } from "rxjs";
import { events } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { send, serve } from "./http-server.fixture.js";
import { toResponse } from "./to-response.js";

const content = (delta: string) => events.textMessageContent({ messageId: "m", delta });
const frame = (event: AGUIEvent) => `data: ${JSON.stringify(event)}\n\n`;
const decoder = new TextDecoder();

/** A source that tells whether it is subscribed to. */
function watched(source: Observable<AGUIEvent>) {
  const state = { subscriptions: 0, left: false };
  const events$ = new Observable<AGUIEvent>((subscriber) => {
    state.subscriptions++;
    subscriber.add(() => (state.left = true));
    return source.subscribe(subscriber);
  });
  return { state, events$ };
}

describe("toResponse", () => {
  it("answers with the frames and the headers of an event stream", async () => {
    const response = toResponse(of(content("a"), content("b")));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/event-stream",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
    });
    expect(await response.text()).toBe(frame(content("a")) + frame(content("b")));
  });

  it("takes a status and headers, which win over its own", () => {
    const { status, headers } = toResponse(of(), {
      status: 202,
      headers: { "X-Accel-Buffering": "yes", "x-mine": "1" },
    });
    expect([status, headers.get("x-accel-buffering"), headers.get("x-mine")]).toEqual([202, "yes", "1"]);
  });

  it("takes a promise and an iterable of events", async () => {
    expect(await toResponse(Promise.resolve(content("a"))).text()).toBe(frame(content("a")));
    expect(await toResponse([content("a")]).text()).toBe(frame(content("a")));
  });

  it("runs nothing until the body is read, and then once", async () => {
    const { state, events$ } = watched(of(content("a")));
    const response = toResponse(events$);
    await new Promise((resolve) => setTimeout(resolve));
    expect(state.subscriptions).toBe(0);
    await response.text();
    expect(state.subscriptions).toBe(1);
  });

  it("unsubscribes before `cancel` returns", async () => {
    const { state, events$ } = watched(concat(of(content("a")), NEVER));
    const reader = toResponse(events$).body!.getReader();
    await reader.read();
    expect(state.left).toBe(false);
    void reader.cancel();
    expect(state.left).toBe(true);
  });

  it("leaves no timer behind when it is cancelled", async () => {
    jest.useFakeTimers();
    try {
      const reader = toResponse(NEVER).body!.getReader();
      const read = reader.read();
      await jest.advanceTimersByTimeAsync(15_000);
      expect(decoder.decode((await read).value)).toBe(": heartbeat\n\n");
      await reader.cancel();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it("tells an error as RUN_ERROR and ends", async () => {
    const failure = Object.assign(new Error("no model"), { code: "model" });
    const failing = concat(
      of(content("a")),
      throwError(() => failure),
    );
    const error = events.runError({ message: "no model", code: "model" });
    expect(await toResponse(failing).text()).toBe(frame(content("a")) + frame(error));
    const described = toResponse(failing, { describeError: () => ({ message: "Sorry." }) });
    expect(await described.text()).toBe(frame(content("a")) + frame(events.runError({ message: "Sorry." })));
  });

  it("tells no second RUN_ERROR", async () => {
    const error = events.runError({ message: "first" });
    const failing = concat(
      of(error),
      throwError(() => new Error("second")),
    );
    expect(await toResponse(failing).text()).toBe(frame(error));
  });

  it("tells an event that is no JSON as RUN_ERROR", async () => {
    const text = await toResponse(of(events.custom({ name: "n", value: 1n }))).text();
    expect(text).toContain('"type":"RUN_ERROR"');
  });

  it("closes the connection of a reader that lets more wait than the limit, and leaves the run", async () => {
    const { state, events$ } = watched(range(0, Infinity).pipe(map((i) => content(String(i)))));
    const reader = toResponse(events$, { maxBufferedBytes: 10_000 }).body!.getReader();
    await expect(reader.read().then(() => reader.read())).rejects.toMatchObject({
      name: "SlowReaderError",
      code: "slow-reader",
    });
    expect(state.left).toBe(true);
  });

  it("lets as many bytes wait as the limit says", async () => {
    const all = Array.from({ length: 100 }, (_, i) => content(String(i)));
    const bytes = all.map(frame).join("").length;
    expect(await toResponse(all, { maxBufferedBytes: bytes }).text()).toHaveLength(bytes);
    await expect(toResponse(all, { maxBufferedBytes: bytes / 2 }).text()).rejects.toMatchObject({
      code: "slow-reader",
    });
  });

  it("lets a single frame pass that is longer than the limit", async () => {
    const long = content("x".repeat(1000));
    expect(await toResponse(of(long), { maxBufferedBytes: 10 }).text()).toBe(frame(long));
  });

  it("emits nothing more and leaves the run when an HTTP client leaves", async () => {
    const { state, events$ } = watched(interval(1).pipe(map((i) => content(String(i)))));
    await using server = await serve((_request, response) => void send(toResponse(events$), response));
    const abort = new AbortController();
    const response = await fetch(server.url, { method: "POST", signal: abort.signal });
    await response.body!.getReader().read();
    abort.abort();
    for (let i = 0; i < 100 && !state.left; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(state.left).toBe(true);
  });

  it("does not let a client that never reads grow the memory", async () => {
    const big = "x".repeat(100_000);
    const { state, events$ } = watched(timer(0, 1).pipe(map(() => content(big))));
    await using server = await serve((_request, response) => {
      void send(toResponse(events$, { maxBufferedBytes: 1_000_000 }), response);
    });
    const socket = dial(Number(new URL(server.url).port), "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
    socket.pause();
    try {
      for (let i = 0; i < 500 && !state.left; i++) await new Promise((resolve) => setTimeout(resolve, 10));
      expect(state.left).toBe(true);
    } finally {
      socket.destroy();
    }
  });

  it("serves two readers of one run definition with a run each", async () => {
    const { state, events$ } = watched(from([content("a")]));
    await Promise.all([toResponse(events$).text(), toResponse(events$).text()]);
    expect(state.subscriptions).toBe(2);
  });
});
