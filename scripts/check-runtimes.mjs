// Runs the built packages in other runtimes than this one: Node 22 and 24, Bun, Deno, and a context with
// nothing but the web's own globals, as edge workers have. Needs the npm registry, so it is no part of
// .ci/run. After `pnpm build`:
//   pnpm check:runtimes
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext, SourceTextModule } from "node:vm";
import { build } from "esbuild";
import { packInto, root } from "./packages/consumer.mjs";

const folder = realpathSync(mkdtempSync(join(tmpdir(), "agrx-runtimes-")));
packInto(folder);
const program = join(folder, "smoke.mjs");
copyFileSync(join(root, "scripts/packages/smoke.mjs"), program);

const runtimes = {
  [`Node ${process.versions.node}`]: [process.execPath, program],
  "Node 22": ["npx", "--yes", "node@22", program],
  "Node 24": ["npx", "--yes", "node@24", program],
  Bun: ["npx", "--yes", "bun@1", program],
  Deno: ["npx", "--yes", "deno@2", "run", "--allow-all", "--node-modules-dir=manual", program],
};

let failed = 0;
for (const [name, [command, ...args]] of Object.entries(runtimes)) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    timeout: 120_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  tell(name, status === 0 && stdout.includes("the main job runs") ? undefined : stderr || stdout);
}
await onTheEdge().then(
  () => tell("only the web's globals"),
  (error) => tell("only the web's globals", String(error?.stack ?? error)),
);
rmSync(folder, { recursive: true });
process.exitCode = failed > 0 ? 1 : 0;

function tell(name, problem) {
  if (problem !== undefined) failed++;
  console.log(`${problem === undefined ? "ok    " : "FAILED"} ${name}`);
  if (problem !== undefined) console.log(problem);
}

async function onTheEdge() {
  const { outputFiles } = await build({
    entryPoints: [program],
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    absWorkingDir: folder,
  });
  const names = [
    ...[
      "AbortController",
      "AbortSignal",
      "Blob",
      "DOMException",
      "Event",
      "EventTarget",
      "Headers",
      "Request",
    ],
    ...["Response", "ReadableStream", "TransformStream", "WritableStream", "TextEncoder", "TextDecoder"],
    ...["TextDecoderStream", "TextEncoderStream", "URL", "URLSearchParams", "clearTimeout", "clearInterval"],
    ...["crypto", "fetch", "queueMicrotask", "setInterval", "setTimeout", "structuredClone"],
  ];
  const globals = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  const context = createContext({ ...globals, console: { log() {} } });
  const module = new SourceTextModule(outputFiles[0].text, { context });
  await module.link(() => {
    throw new Error("the bundle imports something");
  });
  await module.evaluate();
}
