import { existsSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { interval, lastValueFrom, map, of, toArray, type Observable } from "rxjs";
import { events } from "../protocol/events.js";
import type { AGUIEvent, RunAgentInput } from "../protocol/vocabulary.js";
import type { Warning } from "../protocol/warning.js";
import { serve, send, type Handler } from "../transport/http-server.fixture.js";
import { toResponse } from "../transport/to-response.js";
import { connect, type ConnectOptions } from "./connect.js";

const input: RunAgentInput = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };
const run = [
  events.runStarted({ threadId: "t", runId: "r" }),
  events.textMessageChunk({ messageId: "m", delta: "Hi é😀" }),
  events.runFinished({ threadId: "t", runId: "r" }),
];
const all = (events$: Observable<AGUIEvent>) => lastValueFrom(events$.pipe(toArray()));
const answer: Handler = (_request, response) => void send(toResponse(run), response);
const failure = (events$: Observable<AGUIEvent>) => all(events$).catch((error: unknown) => error);
const fast = { delay: 1 };

describe("connect", () => {
  it("posts the input as JSON and gives the events as they were sent", async () => {
    let seen: unknown;
    await using server = await serve((request, response, body) => {
      const { accept, "content-type": type, authorization } = request.headers;
      seen = { method: request.method, accept, type, authorization, body: JSON.parse(body) as unknown };
      answer(request, response, body);
    });
    const agent = connect({ url: server.url, headers: { authorization: "Bearer 1" } });
    expect(await all(agent(input))).toEqual(run);
    expect(seen).toEqual({
      method: "POST",
      accept: "text/event-stream",
      type: "application/json",
      authorization: "Bearer 1",
      body: { protocolVersion: "1.1", ...input },
    });
  });

  it("sends nothing before it is subscribed to, and a request for each subscription", async () => {
    await using server = await serve(answer);
    const run$ = connect({ url: new URL(server.url) })(input);
    expect(server.requests).toBe(0);
    await all(run$);
    await all(run$);
    expect(server.requests).toBe(2);
  });

  it("asks for its headers anew for each request", async () => {
    const tokens: unknown[] = [];
    await using server = await serve((request, response, body) => {
      tokens.push(request.headers.authorization);
      if (tokens.length === 1) response.writeHead(503).end();
      else answer(request, response, body);
    });
    let count = 0;
    const headers = () => Promise.resolve({ authorization: `Bearer ${++count}` });
    await all(connect({ url: server.url, headers, retry: fast })(input));
    expect(tokens).toEqual(["Bearer 1", "Bearer 2"]);
  });

  describe("makes the input ready", () => {
    async function sent(given: unknown, options: Partial<ConnectOptions> = {}): Promise<unknown> {
      let body: unknown;
      const fetch: NonNullable<ConnectOptions["fetch"]> = (_url, init) => {
        body = JSON.parse(init.body as string);
        return Promise.resolve(toResponse(run));
      };
      await all(connect({ url: "http://x", fetch, ...options })(given as RunAgentInput));
      return body;
    }

    it("leaves activity messages out, silently", async () => {
      const warnings: Warning[] = [];
      const user = { id: "u", role: "user", content: "Hi" };
      const activity = { id: "a", role: "activity", activityType: "plan", content: {} };
      const onWarning = (warning: Warning) => warnings.push(warning);
      expect(await sent({ ...input, messages: [activity, user] }, { onWarning })).toMatchObject({
        messages: [user],
      });
      expect(warnings).toEqual([]);
    });

    it("leaves unknown members out, with a warning that names the path", async () => {
      const warnings: Warning[] = [];
      const messages = [{ id: "u", role: "user", content: "Hi", mood: 1 }];
      const onWarning = (warning: Warning) => warnings.push(warning);
      expect(await sent({ ...input, messages, mood: 1 }, { onWarning })).toEqual({
        protocolVersion: "1.1",
        ...input,
        messages: [{ id: "u", role: "user", content: "Hi" }],
      });
      expect(warnings.map(({ path }) => path).sort()).toEqual(["messages.0.mood", "mood"]);
    });

    it("declares the version, unless told not to or the input does", async () => {
      expect(await sent(input)).toHaveProperty("protocolVersion", "1.1");
      expect(await sent({ ...input, protocolVersion: "1.0" })).toHaveProperty("protocolVersion", "1.0");
      expect(await sent(input, { declareVersion: false })).not.toHaveProperty("protocolVersion");
    });

    it("turns retired binary parts into media parts", async () => {
      const content = [{ type: "binary", mimeType: "image/png", url: "https://example.com/a.png" }];
      expect(await sent({ ...input, messages: [{ id: "u", role: "user", content }] })).toMatchObject({
        messages: [
          { content: [{ type: "image", source: { type: "url", value: "https://example.com/a.png" } }] },
        ],
      });
    });

    it("sends nothing of a malformed one", async () => {
      await using server = await serve(answer);
      const bad = { ...input, messages: [{ id: "u", role: "user" }] } as unknown as RunAgentInput;
      expect(await failure(connect({ url: server.url })(bad))).toMatchObject({
        code: "invalid-input",
        path: "messages.0.content",
      });
      expect(server.requests).toBe(0);
    });
  });

  describe("tries again before the first byte", () => {
    it("after a status that may pass, as often as it is told", async () => {
      await using server = await serve((_request, response) => void response.writeHead(503).end("later"));
      const agent = connect({ url: server.url, retry: { count: 3, ...fast } });
      expect(await failure(agent(input))).toMatchObject({ code: "http-status", status: 503, body: "later" });
      expect(server.requests).toBe(4);
    });

    it("twice by default, with twice the delay before the second", async () => {
      jest.useFakeTimers();
      try {
        const times: number[] = [];
        const fetch = () => {
          times.push(Date.now());
          return Promise.resolve(new Response("", { status: 429 }));
        };
        const failed = failure(connect({ url: "http://x", fetch })(input));
        await jest.advanceTimersByTimeAsync(10_000);
        expect(await failed).toMatchObject({ status: 429 });
        expect(times.map((time) => time - times[0]!)).toEqual([0, 500, 1500]);
      } finally {
        jest.useRealTimers();
      }
    });

    it("when the server says so, and not when that is too late", async () => {
      jest.useFakeTimers();
      try {
        const times: number[] = [];
        const seconds = ["7", "31"];
        const fetch = () => {
          times.push(Date.now());
          return Promise.resolve(
            new Response("", { status: 429, headers: { "retry-after": seconds.shift()! } }),
          );
        };
        const failed = failure(connect({ url: "http://x", fetch })(input));
        await jest.advanceTimersByTimeAsync(100_000);
        expect(await failed).toMatchObject({ status: 429, retryAfter: 31_000 });
        expect(times.map((time) => time - times[0]!)).toEqual([0, 7000]);
      } finally {
        jest.useRealTimers();
      }
    });

    it("when nobody answers at first", async () => {
      let attempts = 0;
      const fetch = () =>
        ++attempts === 1 ? Promise.reject(new TypeError("fetch failed")) : Promise.resolve(toResponse(run));
      expect(await all(connect({ url: "http://x", fetch, retry: fast })(input))).toEqual(run);
    });

    it.each([400, 401, 403, 404, 500, 501])("not after status %i", async (status) => {
      await using server = await serve((_request, response) => void response.writeHead(status).end());
      expect(await failure(connect({ url: server.url, retry: fast })(input))).toMatchObject({ status });
      expect(server.requests).toBe(1);
    });

    it("not after the first byte, nor with a count of 0", async () => {
      await using server = await serve((_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(": hello\n\n", () => setTimeout(() => response.destroy(), 20));
      });
      expect(await failure(connect({ url: server.url, retry: fast })(input))).toMatchObject({
        code: "network",
      });
      expect(server.requests).toBe(1);
      await using busy = await serve((_request, response) => void response.writeHead(503).end());
      expect(await failure(connect({ url: busy.url, retry: 0 })(input))).toMatchObject({ status: 503 });
      expect(busy.requests).toBe(1);
    });
  });

  it("tells that nobody listens", async () => {
    const server = createServer().listen(0);
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await failure(connect({ url: `http://127.0.0.1:${port}`, retry: 0 })(input))).toMatchObject({
      name: "HttpError",
      code: "network",
    });
  });

  it("tells that the answer is no event stream", async () => {
    await using server = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    });
    expect(await failure(connect({ url: server.url })(input))).toMatchObject({
      code: "content-type",
      status: 200,
    });
  });

  it("passes every event through its guard, whose error it is", async () => {
    const guard: ConnectOptions["guard"] = map((event) => {
      if (event.type === "RUN_FINISHED") throw new Error("guarded");
      return event;
    });
    expect(
      await failure(
        connect({ url: "http://x", fetch: () => Promise.resolve(toResponse(run)), guard })(input),
      ),
    ).toEqual(new Error("guarded"));
  });

  describe("when it is left", () => {
    const endless: Handler = (_request, response) => {
      const ticks$ = interval(5).pipe(
        map((i) => events.textMessageContent({ messageId: "m", delta: String(i) })),
      );
      void send(toResponse(ticks$), response);
    };

    it("closes its request within 100 ms", async () => {
      let closed: (value: number) => void;
      const closing = new Promise<number>((resolve) => (closed = resolve));
      await using server = await serve((request, response, body) => {
        response.on("close", () => closed(performance.now()));
        endless(request, response, body);
      });
      const left = await new Promise<number>((resolve) => {
        const subscription = connect({ url: server.url })(input).subscribe(() => {
          subscription.unsubscribe();
          resolve(performance.now());
        });
      });
      expect((await closing) - left).toBeLessThan(100);
    });

    it("aborts a request that nobody has answered yet", async () => {
      let signal: AbortSignal | null | undefined;
      const fetch: ConnectOptions["fetch"] = (_url, init) => {
        signal = init.signal;
        return new Promise(() => undefined);
      };
      const subscription = connect({ url: "http://x", fetch })(input).subscribe();
      await Promise.resolve();
      expect(signal?.aborted).toBe(false);
      subscription.unsubscribe();
      expect(signal?.aborted).toBe(true);
    });

    it("waits for no retry", async () => {
      jest.useFakeTimers();
      try {
        const fetch = () => Promise.resolve(new Response("", { status: 503 }));
        const subscription = connect({ url: "http://x", fetch })(input).subscribe();
        await jest.advanceTimersByTimeAsync(10);
        expect(jest.getTimerCount()).toBe(1);
        subscription.unsubscribe();
        expect(jest.getTimerCount()).toBe(0);
      } finally {
        jest.useRealTimers();
      }
    });

    it("by its signal, errors and keeps no listener", async () => {
      await using server = await serve(endless);
      const abort = new AbortController();
      const add = jest.spyOn(abort.signal, "addEventListener");
      const remove = jest.spyOn(abort.signal, "removeEventListener");
      const agent = connect({ url: server.url, signal: abort.signal });
      const failed = new Promise((resolve) => {
        agent(input).subscribe({ next: () => abort.abort(), error: resolve });
      });
      expect(await failed).toMatchObject({ name: "HttpError", code: "aborted" });
      expect(remove.mock.calls.length).toBe(add.mock.calls.length);
      expect(await failure(agent(input))).toMatchObject({ code: "aborted" });
    });
  });

  it("gives what any agent in the same process is", () => {
    const local: ReturnType<typeof connect> = () => of(...run);
    const seen: string[] = [];
    local(input).subscribe((event) => seen.push(event.type));
    expect(seen).toHaveLength(3);
  });
});

const official = join(__dirname, "../../../../../shared/conformance/official");

(existsSync(official) ? describe : describe.skip)("the protocol's conformance streams of the request", () => {
  interface Fixture {
    input?: Partial<RunAgentInput>;
    expect: { request?: object; requestAbsentPaths?: string[] };
  }

  it.each([
    ["current-peer-declares-protocol-version", {}],
    ["era-pinned-peer-omits-protocol-version", { declareVersion: false }],
    ["era-0-0-47-upgrades-binary-content", {}],
    ["era-current-peer-keeps-modern-content", {}],
  ])("agree with %s", async (name, options) => {
    const text = readFileSync(join(official, `${name}.json`), "utf8");
    const { input: given, expect: wanted } = JSON.parse(text) as Fixture;
    let body: unknown;
    const fetch: NonNullable<ConnectOptions["fetch"]> = (_url, init) => {
      body = JSON.parse(init.body as string);
      return Promise.resolve(toResponse(run));
    };
    await all(connect({ url: "http://x", fetch, ...options })({ ...input, ...given }));
    expect(body).toMatchObject(wanted.request ?? {});
    for (const path of wanted.requestAbsentPaths ?? []) expect(body).not.toHaveProperty(path);
  });
});

if (!existsSync(official)) console.log("Skipped: no conformance streams in ../shared.");
