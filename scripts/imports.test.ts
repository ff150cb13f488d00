import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";
import ts from "typescript";
import { packageEntries } from "./docs/package-entries";

const root = join(__dirname, "..");

/** Entries for Node alone; every other one also runs in a browser. */
const nodeOnly = /^@agrx\/core\/(node|nest|log|redis)$/;

/** What an app has itself: a bundle of ours must find the app's copy. */
const peers = Object.keys({
  ...(readManifest("core").peerDependencies ?? {}),
  ...(readManifest("verify").peerDependencies ?? {}),
  ...(readManifest("llm-adapter").peerDependencies ?? {}),
}).flatMap((name) => [name, `${name}/*`]);

function readManifest(folder: string): { peerDependencies?: Record<string, string> } {
  return JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8")) as object;
}

function importsOf(file: string): string[] {
  return ts
    .preProcessFile(readFileSync(file, "utf8"))
    .importedFiles.map(({ fileName }) => fileName)
    .filter((name) => name.startsWith("."))
    .map((name) => join(dirname(file), name.replace(/\.js$/, ".ts")))
    .filter((path) => existsSync(path));
}

/** The first circle found, as the files it leads through. */
function circle(files: readonly string[]): string[] | undefined {
  const done = new Set<string>();
  const search = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const imported of importsOf(file)) {
      const found = search(imported, [...path, file]);
      if (found) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of files) {
    const found = search(file, []);
    if (found) return found.map((one) => relative(root, one));
  }
  return undefined;
}

describe.each(readdirSync(join(root, "packages")))("the files of %s", (name) => {
  it("import each other in no circle, types included", () => {
    const folder = join(root, "packages", name, "src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
      .map((file) => join(folder, file));
    expect(circle(files)).toBeUndefined();
  });
});

describe("a bundle for the browser", () => {
  const entries = packageEntries(root).filter(({ name }) => !nodeOnly.test(name));

  it.each(entries)("of $name needs no module of Node's", async ({ source }) => {
    const { errors } = await build({
      entryPoints: [source],
      bundle: true,
      write: false,
      format: "esm",
      platform: "browser",
      external: peers,
      logLevel: "silent",
    }).catch((failure: { errors: { text: string; location: { file: string } | null }[] }) => failure);
    expect(errors.map(({ text, location }) => `${location?.file}: ${text}`)).toEqual([]);
  });
});
