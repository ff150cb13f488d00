// Builds every package twice with tsc: ES modules and CommonJS, each with its own types.
import { execFileSync } from "node:child_process";
import { chmodSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const packages = readdirSync(join(root, "packages"));
for (const name of packages) rmSync(join(root, "packages", name, "dist"), { recursive: true, force: true });

const projects = packages.flatMap((name) => [
  `packages/${name}/tsconfig.json`,
  `packages/${name}/tsconfig.cjs.json`,
]);
execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-b", ...projects], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});

for (const name of packages) {
  const folder = join(root, "packages", name);
  // The nearest package.json decides a file's module format, so the CommonJS half has its own.
  const manifest = { type: "commonjs", sideEffects: false };
  writeFileSync(join(folder, "dist/cjs/package.json"), JSON.stringify(manifest) + "\n");

  const { bin = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const command of Object.values(bin)) chmodSync(join(folder, command), 0o755);
}
