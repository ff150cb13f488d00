import { LLMock } from "@copilotkit/aimock";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** The local provider behind a proxy that keeps the bodies exactly as the SDKs sent them. */
export interface RecordingProvider {
  readonly url: string;
  /** The JSON body of the last request. */
  readonly lastBody: Record<string, unknown>;
  stop(): Promise<void>;
}

export async function startRecordingProvider(): Promise<RecordingProvider> {
  const provider = new LLMock({ port: 0 });
  provider.on({}, { content: "ok" });
  const target = new URL(await provider.start());
  let lastBody: Record<string, unknown> = {};

  const proxy: Server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = Buffer.concat(chunks);
      lastBody = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
      const { method, url: path, headers } = incoming;
      const forwarded = httpRequest(
        { host: target.hostname, port: target.port, method, path, headers },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      forwarded.end(body);
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    get lastBody() {
      return lastBody;
    },
    async stop() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await provider.stop();
    },
  };
}
