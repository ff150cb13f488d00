import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** A public entry of a package. */
export interface PackageEntry {
  /** As it is imported: `@agrx/core/testing`. */
  readonly name: string;
  /** Its source file. */
  readonly source: string;
}

/** Every entry that the packages' `exports` name. */
export function packageEntries(root: string): PackageEntry[] {
  return readdirSync(join(root, "packages")).flatMap((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as {
      name: string;
      exports: Record<string, unknown>;
    };
    return Object.entries(manifest.exports)
      .filter(([, target]) => typeof target === "object")
      .map(([entry, target]) => ({
        name: manifest.name + entry.slice(1),
        source: sourceOf(join(root, "packages", folder), target as { import: { default: string } }),
      }));
  });
}

function sourceOf(folder: string, target: { import: { default: string } }): string {
  const built = target.import.default;
  const source = join(folder, built.replace("./dist/esm/", "src/").replace(/\.js$/, ".ts"));
  if (!existsSync(source))
    throw new Error(`${folder}/package.json exports ${built}, but ${source} is not there.`);
  return source;
}
