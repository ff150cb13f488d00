// Packs the packages as they would be published and unpacks them into the node_modules of a consumer.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

export const root = join(import.meta.dirname, "../..");
export const typesOf = { "node16-esm": "import", "node16-cjs": "require", bundler: "import" };

/** Runs pnpm: the one that runs this script, or pnpm 12. */
function pnpm(args, options) {
  const running = process.env.npm_execpath;
  const [command, first] = running?.includes("pnpm")
    ? running.endsWith("js")
      ? [process.execPath, [running]]
      : [running, []]
    : ["npx", ["--yes", "pnpm@12"]];
  return execFileSync(command, [...first, ...args], { stdio: ["ignore", "pipe", "inherit"], ...options });
}

/**
 * @returns the packed packages: name, folder of the unpacked package, tarball, manifest and entries
 *   (`name`, `formats`: the conditions under which it can be loaded)
 */
export function packInto(folder) {
  mkdirSync(join(folder, "node_modules/@agrx"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  return readdirSync(join(root, "packages")).map((short) => {
    const source = join(root, "packages", short);
    pnpm(["pack", "--pack-destination", folder], { cwd: source });
    const unpacked = join(folder, "node_modules/@agrx", short);
    mkdirSync(unpacked);
    const tarball = join(
      folder,
      readdirSync(folder).find((file) => file.startsWith(`agrx-${short}-`)),
    );
    execFileSync("tar", ["-xzf", tarball, "--strip-components=1", "-C", unpacked]);
    const manifest = JSON.parse(readFileSync(join(unpacked, "package.json"), "utf8"));
    for (const name of dependenciesOf(manifest)) link(name, source, folder);
    const entries = Object.entries(manifest.exports)
      .filter(([, target]) => typeof target === "object")
      .map(([path, target]) => ({
        name: manifest.name + path.slice(1),
        formats: Object.keys(target).filter((format) => format === "import" || format === "require"),
      }));
    return { name: manifest.name, short, unpacked, tarball, manifest, entries };
  });
}

function dependenciesOf({ dependencies = {}, peerDependencies = {} }) {
  return Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !name.startsWith("@agrx/"));
}

/** What the package sees in the workspace, the consumer sees too; an optional peer may be nowhere. */
function link(name, source, folder) {
  const found = [source, root].map((one) => join(one, "node_modules", name)).find((path) => existsSync(path));
  const target = join(folder, "node_modules", name);
  if (found === undefined || existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  symlinkSync(realpathSync(found), target);
}
