// Checks the packages as they would be published: built, packed and unpacked into a consumer without a
// network. Prints a line for each check and exits with 1 when one fails.
//   node scripts/check-packages.mjs [--no-build] [--keep]
import { spawnSync } from "node:child_process";
import { accessSync, constants, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { typeChecks } from "./packages/consumer-types.mjs";
import { packInto, root } from "./packages/consumer.mjs";

if (!process.argv.includes("--no-build")) {
  const { status } = spawnSync(process.execPath, [join(root, "scripts/build.mjs")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) process.exit(1);
}

const folder = realpathSync(mkdtempSync(join(tmpdir(), "agrx-consumer-")));
const packages = packInto(folder);
/** Entries that only Node has to load. */
const nodeOnly = /\/(node|nest|log|redis)$/;
const formatNames = { import: "ES modules", require: "CommonJS" };

/** The checks, by name; each gives what is wrong as lines. */
const checks = [
  ...packages.flatMap((one) => [
    [`${one.name}: publint`, () => lint(one)],
    [`${one.name}: are the types wrong`, () => areTheTypesWrong(one)],
    [`${one.name}: holds what it should`, () => contents(one)],
    ...Object.keys(one.manifest.bin ?? {}).map((name) => [`${name} runs`, () => runCommand(one, name)]),
    ...one.entries.flatMap((entry) => [
      ...entry.formats.map((format) => [
        `${entry.name}: loads as ${formatNames[format]}`,
        () => load(entry, format),
      ]),
      ...(nodeOnly.test(entry.name) ? [] : [[`${entry.name}: runs in a browser`, () => browser(entry)]]),
    ]),
  ]),
  ["both formats of every entry have the same names", sameNames],
  ...typeChecks(folder, packages),
];

let failed = 0;
for (const [name, check] of checks) {
  let wrong;
  try {
    wrong = await check();
  } catch (error) {
    wrong = [String(error?.message ?? error)];
  }
  if (wrong.length > 0) failed++;
  console.log(`${wrong.length === 0 ? "ok    " : "FAILED"} ${name}`);
  for (const line of wrong) console.log(`         ${line}`);
}
console.log(`${checks.length - failed} package checks passed, ${failed} failed`);
if (process.argv.includes("--keep")) console.log(folder);
else rmSync(folder, { recursive: true });
process.exitCode = failed > 0 ? 1 : 0;

async function lint({ unpacked, manifest }) {
  const { messages } = await publint({ pkgDir: unpacked, pack: false, strict: true });
  return messages.map((message) => formatMessage(message, manifest, { color: false }) ?? message.code);
}

function areTheTypesWrong({ tarball, entries }) {
  // An entry for ES modules alone (Angular's packages are that) has no types for `require`.
  const esmOnly = entries.filter(({ formats }) => !formats.includes("require")).map(({ name }) => name);
  const ignored = esmOnly.flatMap((name) => [
    "--exclude-entrypoints",
    `./${name.split("/").slice(2).join("/")}`,
  ]);
  const { status, stdout, stderr } = spawnSync(
    join(root, "node_modules/.bin/attw"),
    [tarball, "--profile", "strict", "--format", "ascii", "--no-color", "--no-emoji", ...ignored],
    { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
  );
  return status === 0 ? [] : (stdout + stderr).split("\n").filter((line) => line.trim());
}

function contents({ unpacked }) {
  const files = readdirSync(unpacked, { recursive: true });
  return [
    ...["README.md", "LICENSE", "package.json"]
      .filter((file) => !files.includes(file))
      .map((file) => `no ${file}`),
    ...files
      .filter((file) => /\.(test|fixture)\.|tsbuildinfo/.test(file))
      .map((file) => `${file} does not belong`),
  ];
}

function runCommand({ unpacked, manifest }, name) {
  const file = join(unpacked, manifest.bin[name]);
  accessSync(file, constants.X_OK);
  if (!readFileSync(file, "utf8").startsWith("#!/usr/bin/env node\n")) return ["has no #! line"];
  const { status, stdout, stderr } = spawnSync(file, ["--help"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  return status === 0 && stdout.includes(name) ? [] : [`--help exits with ${status}: ${stderr || stdout}`];
}

/** Loads an entry in a process of its own, as Node does for a consumer. */
function namesOf({ name }, format) {
  const code =
    format === "import"
      ? `console.log(JSON.stringify(Object.keys(await import("${name}"))))`
      : `console.log(JSON.stringify(Object.keys(require("${name}"))))`;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [`--input-type=${format === "import" ? "module" : "commonjs"}`, "-e", code],
    { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
  );
  if (status !== 0) throw new Error(stderr.split("\n").find((line) => /^\w*Error\b/.test(line)) ?? stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1));
}

function load(entry, format) {
  return namesOf(entry, format).length > 0 ? [] : ["exports nothing"];
}

function sameNames() {
  return packages
    .flatMap(({ entries }) => entries)
    .filter(({ formats }) => formats.length === 2)
    .flatMap((entry) => {
      const required = new Set(namesOf(entry, "require"));
      const imported = new Set(namesOf(entry, "import").filter((name) => name !== "module.exports"));
      const lone = [...(required.symmetricDifference?.(imported) ?? difference(required, imported))];
      return lone.length === 0 ? [] : [`${entry.name}: ${lone.join(", ")} in one format only`];
    });
}

function difference(one, other) {
  return [...[...one].filter((name) => !other.has(name)), ...[...other].filter((name) => !one.has(name))];
}

async function browser({ name }) {
  const options = {
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    logLevel: "silent",
    external: frameworks(),
  };
  const whole = await build({
    ...options,
    stdin: { contents: `export * from "${name}"`, resolveDir: folder },
  });
  const rxjs = Object.values(whole.metafile.outputs)
    .flatMap(({ imports }) => imports)
    .map(({ path }) => path)
    .filter((path) => /^rxjs/.test(path));
  const unused = await build({
    ...options,
    minify: true,
    stdin: { contents: `import "${name}"`, resolveDir: folder },
  });
  return [
    ...Object.keys(whole.metafile.inputs)
      .filter((file) => /node_modules\/rxjs\//.test(file))
      .slice(0, 1)
      .map((file) => `holds a copy of rxjs: ${file}`),
    ...rxjs.filter((path) => path !== "rxjs").map((path) => `imports ${path} beside "rxjs"`),
    ...(unused.outputFiles[0].contents.length > 0
      ? ["leaves something behind although nothing of it is used"]
      : []),
  ];
}

/** What the app brings along. */
function frameworks() {
  const peers = packages.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {}));
  return [...new Set(peers)].filter((name) => name !== "zod").flatMap((name) => [name, `${name}/*`]);
}
