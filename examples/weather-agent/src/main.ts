import { EventType, type AGUIEvent, type RunView } from "@agrx/core";
import { parseArgs } from "node:util";
import pc from "picocolors";
import { weatherAgent } from "./agent.js";
import { chat } from "./chat.js";
import { startLocalProvider } from "./local-provider.js";
import { liveModel, localModel, providers, type Provider } from "./models.js";
import { startAgentServer } from "./server.js";
import { createTerminal } from "./terminal.js";

const help = `A weather agent over HTTP, and a client that talks to it: two runs, three tools.

Usage: pnpm demo [options] [question]

  --provider <name>  ${providers.join(", ")} (default openai); which API the agent speaks
  --live             ask the real provider: OPENAI_API_KEY (and OPENAI_BASE_URL), ANTHROPIC_API_KEY
                     or GEMINI_API_KEY must be set; without it a provider on this machine answers
  --model <name>     the real provider's model
  --jsonl            print each AG-UI event as a line of JSON, and nothing else
  --help             this text
`;

interface Options {
  readonly provider: Provider;
  readonly live: boolean;
  readonly model: string | undefined;
  readonly jsonl: boolean;
  readonly question: string;
}

function readOptions(): Options | undefined {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      provider: { type: "string" },
      live: { type: "boolean", default: false },
      model: { type: "string" },
      jsonl: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const fallback =
    values.live && !process.env["OPENAI_API_KEY"] && process.env["ANTHROPIC_API_KEY"]
      ? "anthropic"
      : "openai";
  const provider = providers.find((name) => name === (values.provider ?? fallback));
  if (!provider)
    throw new Error(`--provider must be one of ${providers.join(", ")}, not "${values.provider}".`);
  const question = positionals.join(" ") || "What is the weather in Seoul? Roll a die for me, too.";
  return { provider, live: values.live, model: values.model, jsonl: values.jsonl, question };
}

/** Runs the conversation; gives the exit code. */
async function main(): Promise<number> {
  const options = readOptions();
  if (!options) {
    process.stdout.write(help);
    return 0;
  }
  const local = options.live ? undefined : await startLocalProvider();
  const model = local ? localModel(options.provider, local.url) : liveModel(options.provider, options.model);
  const server = await startAgentServer(weatherAgent(model));
  const code = await converse(server.url, options);
  await server.stop();
  await local?.stop();
  return code;
}

function converse(url: string, { question, jsonl }: Options): Promise<number> {
  const write = (text: string) => void process.stdout.write(text);
  const terminal = createTerminal(write, pc.isColorSupported && process.stdout.isTTY);
  const show = jsonl ? (event: AGUIEvent) => write(`${JSON.stringify(event)}\n`) : terminal.event;
  if (!jsonl) write(`user   ${question}\n`);
  return new Promise((resolve) => {
    let view: RunView | undefined;
    let failed = false;
    const conversation = chat(url, question, (event) => {
      failed ||= event.type === EventType.RUN_ERROR;
      show(event);
    }).subscribe({
      next: (next) => (view = next),
      error: (error: unknown) => {
        process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
        resolve(1);
      },
      complete: () => {
        if (!jsonl) terminal.end(view);
        resolve(failed ? 1 : 0);
      },
    });
    // Leaving closes the client's request, which ends the run, which aborts the provider's request.
    process.once("SIGINT", () => {
      conversation.unsubscribe();
      resolve(130);
    });
  });
}

// Whoever reads our output may stop doing so, as `head` does.
process.stdout.on("error", () => process.exit());

main().then(
  (code) => (process.exitCode = code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
