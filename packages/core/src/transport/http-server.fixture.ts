import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";

/** Answers a request; `close` of the response tells that the client has left. */
export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export interface TestServer extends AsyncDisposable {
  readonly url: string;
  /** How many requests came. */
  readonly requests: number;
}

/** A real HTTP server on a free port; leaving its block closes it with all its connections. */
export async function serve(handler: Handler): Promise<TestServer> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    void buffer(request).then((body) => handler(request, response, body.toString()));
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get requests() {
      return requests;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sends a web response as frameworks on Node do: a client that leaves cancels its body. */
export async function send(response: Response, to: ServerResponse): Promise<void> {
  to.writeHead(response.status, Object.fromEntries(response.headers));
  const reader = response.body!.getReader();
  to.on("close", () => void reader.cancel().catch(() => undefined));
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (!to.write(part.value)) await new Promise((resolve) => to.once("drain", resolve));
    }
    to.end();
  } catch {
    to.destroy();
  }
}
