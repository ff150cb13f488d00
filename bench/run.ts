// Runs bench/*.bench.ts, or those whose names contain an argument, each in a process of its own.
//   pnpm bench [name...] [--dist] [--strict]
// The sources are bundled by esbuild, which takes a fraction of a second and cares for no type error
// elsewhere; tsx would do, but wraps every closure to keep its name, which a hot path pays for.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { build, type ImportKind, type Plugin } from "esbuild";

const here = import.meta.dirname;
const packagesFolder = join(here, "../packages");
const { values: flags, positionals: wanted } = parseArgs({
  options: { dist: { type: "boolean" }, strict: { type: "boolean" } },
  allowPositionals: true,
});

const files = readdirSync(here)
  .filter((file) => file.endsWith(".bench.ts"))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));
if (files.length === 0) {
  console.error(`No benchmark matches ${wanted.join(", ") || "bench/*.bench.ts"}.`);
  process.exit(2);
}

/** Our packages come from their sources (or, with --dist, as built); everything else is left where Node finds it. */
const resolution: Plugin = {
  name: "agrx-resolution",
  setup(bundle) {
    bundle.onResolve({ filter: /^@agrx\// }, async ({ path, ...options }) => {
      if (options.pluginData === resolution) return undefined;
      const [, name = "", entry] = path.match(/^@agrx\/([^/]+)(?:\/(.+))?$/) ?? [];
      if (flags.dist) return external(path, { ...options, resolveDir: here });
      const source = join(packagesFolder, name, "src");
      const candidates = entry ? [`./${entry}/index.ts`, `./${entry}.ts`] : ["./index.ts"];
      for (const candidate of candidates) {
        const found = await bundle.resolve(candidate, {
          kind: options.kind,
          resolveDir: source,
          pluginData: resolution,
        });
        if (found.errors.length === 0) return found;
      }
      return undefined;
    });
    bundle.onResolve({ filter: /^[^./]/ }, ({ path, ...options }) => {
      if (options.pluginData === resolution || options.kind === "entry-point") return undefined;
      return external(path, options);
    });
    // The bundle lies elsewhere than its parts, and some of them look for files beside themselves.
    bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const folder = JSON.stringify(dirname(path));
      const contents = (text.includes("__dirname") ? `const __dirname = ${folder};` : "") + text;
      return { contents: contents.replaceAll("import.meta.dirname", folder), loader: "ts" };
    });

    async function external(path: string, { kind, resolveDir }: { kind: ImportKind; resolveDir: string }) {
      if (path.startsWith("node:")) return { path, external: true };
      const found = await bundle.resolve(path, { kind, resolveDir, pluginData: resolution });
      return found.errors.length > 0 ? { errors: found.errors } : { path: found.path, external: true };
    }
  },
};

const output = join(here, "node_modules/.cache/bench");
mkdirSync(output, { recursive: true });
let failed = 0;
for (const file of files) {
  const outfile = join(output, `${process.pid}-${file.replace(/\.ts$/, ".mjs")}`);
  try {
    await build({
      entryPoints: [join(here, file)],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      conditions: ["node"], // as Node resolves: without esbuild's own "module"
      tsconfigRaw: {}, // its paths lead to the sources
      plugins: [resolution],
      sourcemap: "inline",
      logLevel: "error",
    });
    const { status } = spawnSync(process.execPath, ["--expose-gc", "--enable-source-maps", outfile], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, ...(flags.strict && { AGRX_BENCH_STRICT: "1" }) },
    });
    if (status !== 0) failed++;
  } catch {
    failed++;
  } finally {
    rmSync(outfile, { force: true });
  }
}
process.exitCode = failed > 0 ? 1 : 0;
