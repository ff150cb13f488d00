// Builds every package twice with tsc: ES modules and CommonJS, each with its own types.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const packages = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name));

for (const folder of packages) {
  rmSync(join(folder, "dist"), { recursive: true, force: true });
  // The nearest package.json decides a file's module format, so the CommonJS half has its own.
  mkdirSync(join(folder, "dist/cjs"), { recursive: true });
  const manifest = { type: "commonjs", sideEffects: false };
  writeFileSync(join(folder, "dist/cjs/package.json"), JSON.stringify(manifest) + "\n");
}

const projects = packages.flatMap((folder) => [`${folder}/tsconfig.json`, `${folder}/tsconfig.cjs.json`]);
const { status } = spawnSync(
  process.execPath,
  [join(root, "node_modules/typescript/bin/tsc"), "-b", ...projects],
  { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
);

for (const folder of packages) {
  const { bin = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const command of Object.values(bin).map((file) => join(folder, file))) {
    if (existsSync(command)) chmodSync(command, 0o755);
  }
}
process.exitCode = status ?? 1;
