import { parseRunInput, toResponse, type AGUIEvent, type RunAgentInput } from "@agrx/core";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { Observable } from "rxjs";

const maxBodyBytes = 1024 * 1024;

/** An HTTP server that answers a POST with a run. */
export interface AgentServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** What the server may be told. */
export interface AgentServerOptions {
  /** Bytes that may wait for a slow reader, before its connection and its run end. Default 16 MiB. */
  readonly maxBufferedBytes?: number;
}

/** Serves an agent on a free port of this machine. */
export async function startAgentServer(
  agent: (input: RunAgentInput) => Observable<AGUIEvent>,
  { maxBufferedBytes }: AgentServerOptions = {},
): Promise<AgentServer> {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const input = parseRunInput(await readJson(request));
    const { status, headers, body } = toResponse(
      agent(input),
      maxBufferedBytes === undefined ? {} : { maxBufferedBytes },
    );
    response.writeHead(status, Object.fromEntries(headers));
    // When the client leaves, the pipeline cancels the body, which unsubscribes from the run.
    await pipeline(Readable.fromWeb(body as ReadableStream), response).catch(() => response.destroy());
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => refuse(response, error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (request.method !== "POST") throw new Refusal(405, "Send the run input with POST.");
  if (!request.headers["content-type"]?.startsWith("application/json")) {
    throw new Refusal(415, "Send the run input as application/json.");
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Refusal(413, `The run input is larger than ${maxBodyBytes} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new Refusal(400, "The body is no JSON.");
  }
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Says what is wrong with a request and where, never what was in it. */
function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const {
    status = 400,
    message = "The request failed.",
    path,
  } = error as Partial<Refusal> & { path?: string };
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ error: message, ...(path === undefined ? {} : { path }) }));
}
