import { HttpAgent, verifyEvents, type BaseEvent } from "@ag-ui/client";
import { EventType, toProtocolTool, type AGUIEvent, type Message, type RunView } from "@agrx/core";
import { openai } from "@agrx/llm-adapter";
import { execFile, spawn } from "node:child_process";
import { createServer, request as httpRequest, type Server } from "node:http";
import { connect as openSocket, type AddressInfo } from "node:net";
import { join } from "node:path";
import OpenAI from "openai";
import { from, lastValueFrom, toArray, type MonoTypeOperatorFunction } from "rxjs";
import { weatherAgent } from "./agent.js";
import { chat } from "./chat.js";
import { startLocalProvider, type LocalProvider } from "./local-provider.js";
import { localModel, providers, type Provider } from "./models.js";
import { startAgentServer, type AgentServer } from "./server.js";
import { clientTools } from "./tools.js";

const question = "What is the weather in Seoul? Roll a die for me, too.";

let provider: LocalProvider;
beforeAll(async () => (provider = await startLocalProvider({ latency: 0 })));
afterAll(() => provider.stop());

async function withServer<T>(name: Provider, use: (server: AgentServer) => Promise<T>): Promise<T> {
  const server = await startAgentServer(weatherAgent(localModel(name, provider.url)));
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** The reference client pins an rxjs of its own, whose types are not ours. */
const verifyReference = verifyEvents(false) as unknown as MonoTypeOperatorFunction<BaseEvent>;

const callsOf = (messages: readonly Message[]) =>
  messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
const namesOf = (messages: readonly Message[]) => callsOf(messages).map((call) => call.function.name);
const lastText = (messages: readonly Message[]) => messages.at(-1)?.content;

describe.each(providers)("the main job through the official SDK of %s", (name) => {
  it("runs the agent's two tools, hands the client its own, and finishes in text in a second run", async () => {
    const received: AGUIEvent[] = [];
    const view = await withServer(name, (server) =>
      lastValueFrom(chat(server.url, question, (event) => received.push(event))),
    );
    expect(view.status).toBe("finished");
    expect(namesOf(view.messages)).toEqual(["get_weather", "roll_dice", "open_settings_panel"]);

    const runs = received.filter(({ type }) => type === EventType.RUN_STARTED);
    const ends = received.filter(({ type }) => type === EventType.RUN_FINISHED);
    expect([runs.length, ends.length]).toEqual([2, 2]);
    const [, , panel] = callsOf(view.messages);
    expect(ends[0]).toMatchObject({ outcome: { type: "success", pendingToolCallIds: [panel!.id] } });

    const results = received.flatMap((event) => (event.type === EventType.TOOL_CALL_RESULT ? [event] : []));
    expect(results).toHaveLength(2);
    expect(results.every(({ toolCallId }) => toolCallId !== panel!.id)).toBe(true);
    expect(lastText(view.messages)).toContain('open at "units"');
  });
});

describe("the reference client", () => {
  it("runs both rounds, and its verifier and its messages agree with ours", async () => {
    await withServer("openai", async ({ url }) => {
      const events: BaseEvent[] = [];
      const tools = clientTools.map(toProtocolTool);
      const agent = new HttpAgent({ url, threadId: "thread-1" });
      agent.addMessage({ id: "user-1", role: "user", content: question });
      const subscriber = { onEvent: ({ event }: { event: BaseEvent }) => void events.push(event) };
      await agent.runAgent({ runId: "run-1", tools }, subscriber);
      const [panel] = callsOf(agent.messages).slice(-1);
      agent.addMessage({
        id: "answer-1",
        role: "tool",
        toolCallId: panel!.id,
        content: '{"open":"units"}',
      });
      await agent.runAgent({ runId: "run-2", tools }, subscriber);

      const started = events.filter(({ type }) => type === EventType.RUN_STARTED);
      expect(started).toHaveLength(2);
      const second = events.indexOf(started[1]!);
      for (const run of [events.slice(0, second), events.slice(second)]) {
        await expect(lastValueFrom(from(run).pipe(verifyReference, toArray()))).resolves.toHaveLength(
          run.length,
        );
      }

      const view = await lastValueFrom(chat(url, question));
      const shape = (messages: readonly Message[]) =>
        messages.map(({ role, content }) => [role, role === "tool" ? "" : content]);
      const withoutDie = (text: unknown) => String(text).replace(/shows \d+/, "shows N");
      expect(shape(agent.messages as Message[]).map(withoutDie)).toEqual(
        shape(view.messages).map(withoutDie),
      );
    });
  });
});

/** A provider that writes raw bytes, as they are given, and tells when its client leaves. */
async function startRawProvider(write: (send: (bytes: string) => void, end: () => void) => void) {
  let left: () => void = () => undefined;
  let asked: () => void = () => undefined;
  const closed = new Promise<number>((resolve) => (left = () => resolve(performance.now())));
  const requested = new Promise<void>((resolve) => (asked = resolve));
  const server: Server = createServer((request, response) => {
    request.resume();
    response.on("close", left);
    response.writeHead(200, { "content-type": "text/event-stream" });
    write(
      (bytes) => response.write(bytes),
      () => response.end(),
    );
    asked();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url, closed, requested, stop };
}

const sse = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const part = (index: number, fields: object, text = "") =>
  sse({
    tool_calls: [
      { index, ...fields, function: { ...("name" in fields ? { name: fields.name } : {}), arguments: text } },
    ],
  });

describe("a provider whose parallel calls interleave", () => {
  it("has each fragment reach its own call, through the SDK, the agent and HTTP", async () => {
    let turn = 0;
    const raw = await startRawProvider((send, end) => {
      if (turn++ > 0) {
        send(sse({ content: "Done." }) + sse({}, "stop") + "data: [DONE]\n\n");
        end();
        return;
      }
      send(part(0, { id: "call_w", type: "function", name: "get_weather" }));
      send(part(1, { id: "call_d", type: "function", name: "roll_dice" }));
      send(part(0, {}, '{"city":') + part(1, {}, '{"si'));
      send(part(1, {}, 'des":20}') + part(0, {}, '"Seoul"}'));
      send(sse({}, "tool_calls") + "data: [DONE]\n\n");
      end();
    });
    const model = openai(new OpenAI({ apiKey: "test", baseURL: raw.url }), { model: "m" });
    const server = await startAgentServer(weatherAgent(model));
    const view = await lastValueFrom(chat(server.url, question));
    await server.stop();
    await raw.stop();
    expect(callsOf(view.messages).map((call) => [call.id, JSON.parse(call.function.arguments)])).toEqual([
      ["call_w", { city: "Seoul" }],
      ["call_d", { sides: 20 }],
    ]);
    expect(view.messages.filter(({ role }) => role === "tool")).toHaveLength(2);
  });
});

/** How long after the client has left the provider sees its request closed, in milliseconds. */
async function timeToClose(): Promise<number> {
  const raw = await startRawProvider((send) => send(sse({ content: "Let me think" })));
  const model = openai(new OpenAI({ apiKey: "test", baseURL: raw.url }), { model: "m" });
  const server = await startAgentServer(weatherAgent(model));
  const views: RunView[] = [];
  const conversation = chat(server.url, question).subscribe((view) => views.push(view));
  await raw.requested;
  while (!views.at(-1)?.messages.some((message) => message.content === "Let me think")) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const before = performance.now();
  conversation.unsubscribe();
  const after = await raw.closed;
  await server.stop();
  await raw.stop();
  return after - before;
}

describe("a client that leaves", () => {
  it("closes the provider's request within 100 ms, also while it stalls between two chunks", async () => {
    // The best of three: what else runs on the machine is not what is measured.
    const times = [await timeToClose(), await timeToClose(), await timeToClose()];
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it("leaves no timer, listener or socket behind", async () => {
    const open = () =>
      process.getActiveResourcesInfo().filter((kind) => /Timeout|Server|TCP/.test(kind)).length;
    await timeToClose();
    const before = open();
    await timeToClose();
    // A socket that was aborted is closed by the event loop's next turns.
    for (let turn = 0; turn < 50 && open() > before; turn++)
      await new Promise((resolve) => setTimeout(resolve, 10));
    expect(open()).toBeLessThanOrEqual(before);
  });

  it("that reads nothing has its connection closed past the stated bytes, and the run with it", async () => {
    let more = true;
    const raw = await startRawProvider((send) => {
      const line = sse({ content: "x".repeat(10_000) });
      const pump = () => {
        for (let i = 0; more && i < 50; i++) send(line);
        if (more) setTimeout(pump, 1);
      };
      pump();
    });
    const model = openai(new OpenAI({ apiKey: "test", baseURL: raw.url }), { model: "m" });
    const server = await startAgentServer(weatherAgent(model), { maxBufferedBytes: 256 * 1024 });
    const { port, hostname } = new URL(server.url);
    const body = JSON.stringify({ threadId: "t", runId: "r", messages: [], tools: [], context: [] });
    const socket = openSocket({ port: Number(port), host: hostname });
    socket.on("error", () => undefined);
    socket.pause();
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await raw.closed;
    more = false;
    socket.destroy();
    await server.stop();
    await raw.stop();
  });
});

describe("a request that is no run input", () => {
  const post = (url: string, body: string, type = "application/json") =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      const request = httpRequest(url, { method: "POST", headers: { "content-type": type } }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode, body: text }));
      });
      request.on("error", reject);
      request.end(body);
    });

  it.each([
    ["broken JSON", "{secret", "application/json", 400],
    ["another content type", "{}", "text/plain", 415],
    ["a body that is too large", `"${"x".repeat(2 * 1024 * 1024)}"`, "application/json", 413],
  ])("is refused when it is %s", async (_name, body, type, status) => {
    await withServer("openai", async ({ url }) => {
      const answer = await post(url, body, type);
      expect(answer.status).toBe(status);
      expect(answer.body).not.toContain("secret");
    });
  });

  it("is refused with the path of what is malformed, and without the payload", async () => {
    await withServer("openai", async ({ url }) => {
      const input = { threadId: "t", runId: "r", messages: [{ id: 7, role: "user", content: "secret" }] };
      const answer = await post(url, JSON.stringify(input));
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toMatchObject({ path: expect.stringContaining("messages.0.id") });
      expect(answer.body).not.toContain("secret");
    });
  });
});

describe("the demo command", () => {
  const root = join(__dirname, "../../..");
  const command = [
    join(root, "node_modules/tsx/dist/cli.mjs"),
    "--tsconfig",
    join(root, "tsconfig.json"),
    join(__dirname, "main.ts"),
  ];

  it("prints one event a line with --jsonl, and nothing else", async () => {
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, [...command, "--jsonl"], (error, out) =>
        error ? reject(new Error(error.message)) : resolve(out),
      );
    });
    const types = stdout
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as AGUIEvent).type);
    expect(types.filter((type) => type === EventType.RUN_FINISHED)).toHaveLength(2);
  });

  it("writes no colour codes into a pipe", async () => {
    const stdout = await new Promise<string>((resolve, reject) => {
      execFile(process.execPath, command, (error, out) =>
        error ? reject(new Error(error.message)) : resolve(out),
      );
    });
    expect(stdout).toContain("get_weather");
    expect(stdout).not.toMatch(/\u001b\[/);
  });

  it("leaves with 130 on Ctrl-C", async () => {
    const child = spawn(process.execPath, command, { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.once("data", () => setTimeout(() => child.kill("SIGINT"), 300));
    const code = await new Promise((resolve) => child.on("exit", resolve));
    expect(code).toBe(130);
  });
});
