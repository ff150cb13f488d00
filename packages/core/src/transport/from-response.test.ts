import { firstValueFrom, interval, lastValueFrom, map, take, toArray } from "rxjs";
import { events } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { fromResponse } from "./from-response.js";
import { send, serve } from "./http-server.fixture.js";
import { toResponse } from "./to-response.js";

const content = (delta: string) => events.textMessageContent({ messageId: "m", delta });
const frame = (event: AGUIEvent) => `data: ${JSON.stringify(event)}\n\n`;
const stream = { "content-type": "text/event-stream" };
const all = (response: Response | Promise<Response>) => lastValueFrom(fromResponse(response).pipe(toArray()));

describe("fromResponse", () => {
  it("gives back what toResponse was given", async () => {
    const sent = [content("a"), content("é😀"), content("\n")];
    expect(await all(toResponse(sent))).toEqual(sent);
  });

  it("takes the promise of a fetch, over real HTTP", async () => {
    const sent = Array.from({ length: 1000 }, (_, i) => content(`é${i}`));
    await using server = await serve((_request, response) => void send(toResponse(sent), response));
    expect(await all(fetch(server.url))).toEqual(sent);
  });

  it.each(["text/event-stream", "text/event-stream; charset=utf-8", "TEXT/Event-Stream;x=y"])(
    "takes the content type %s",
    async (type) => {
      const response = new Response(frame(content("a")), { headers: { "content-type": type } });
      expect(await all(response)).toEqual([content("a")]);
    },
  );

  it.each(["application/json", "text/event-streams", "application/vnd.ag-ui.event+proto"])(
    "refuses the content type %s",
    async (type) => {
      const response = new Response("{}", { headers: { "content-type": type } });
      await expect(all(response)).rejects.toMatchObject({
        name: "HttpError",
        code: "content-type",
        status: 200,
      });
    },
  );

  it("refuses a status, and keeps what the server said out of the message", async () => {
    const response = new Response('{"error":"messages.0.content is missing"}', {
      status: 400,
      headers: { "content-type": "application/json", "retry-after": "2" },
    });
    const error = await all(response).catch((cause: unknown) => cause as Error);
    expect(error).toMatchObject({
      name: "HttpError",
      code: "http-status",
      status: 400,
      retryAfter: 2000,
      body: '{"error":"messages.0.content is missing"}',
    });
    expect((error as Error).message).not.toContain("messages.0");
  });

  it("reads no more of a refusal than its first 16,384 characters", async () => {
    let left = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(1000))),
      cancel: () => void (left = true),
    });
    const error: unknown = await all(new Response(endless, { status: 500 })).catch((cause: unknown) => cause);
    expect((error as { body: string }).body).toHaveLength(16_384);
    expect(left).toBe(true);
  });

  it("reads a body that is missing as empty", async () => {
    expect(await all(new Response(null, { headers: stream }))).toEqual([]);
  });

  it("errors at a cut frame and at a connection that breaks between frames", async () => {
    const half = new Response(frame(content("a")).slice(0, -3), { headers: stream });
    await expect(all(half)).rejects.toMatchObject({ code: "truncated" });
    await using server = await serve((_request, response) => {
      response.writeHead(200, stream);
      response.write(frame(content("a")), () => setTimeout(() => response.destroy(), 20));
    });
    const seen: AGUIEvent[] = [];
    const error = await new Promise((resolve) => {
      fromResponse(fetch(server.url)).subscribe({ next: (event) => seen.push(event), error: resolve });
    });
    expect(error).toMatchObject({ name: "HttpError", code: "network", status: 200 });
    expect(seen).toEqual([content("a")]);
  });

  it("errors with what the promise rejects with", async () => {
    await expect(all(Promise.reject(new TypeError("fetch failed")))).rejects.toThrow("fetch failed");
  });

  it("cancels the body at once when it is left, also while it waits", async () => {
    let left = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(frame(content("a")))),
      cancel: () => void (left = true),
    });
    const seen: AGUIEvent[] = [];
    const subscription = fromResponse(new Response(body, { headers: stream })).subscribe((event) =>
      seen.push(event),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect([seen.length, left]).toEqual([1, false]);
    subscription.unsubscribe();
    expect(left).toBe(true);
  });

  it("lets the server see within 100 ms that it was left", async () => {
    const closed = new Promise<number>((resolve) => {
      void (async () => {
        await using server = await serve((_request, response) => {
          response.on("close", () => resolve(performance.now()));
          void send(toResponse(interval(5).pipe(map((i) => content(String(i))))), response);
        });
        await firstValueFrom(fromResponse(fetch(server.url)).pipe(take(1)));
        left = performance.now();
        await closed;
      })();
    });
    let left = NaN;
    expect((await closed) - left).toBeLessThan(100);
  });
});
