// What a consumer's TypeScript has against the packages' types.
import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const require = createRequire(import.meta.url);
const compilers = { 5.9: require("typescript-5.9"), "6.0": require("typescript") };

const withDisposal = ["lib.esnext.disposable.d.ts"];

/** How consumers import: Node's ES modules (Nest 12), CommonJS (Nest, jest), older CommonJS, and bundlers (Angular). */
const manners = {
  "ES modules": { file: "esm.mts", module: "NodeNext", moduleResolution: "NodeNext", format: "import" },
  CommonJS: { file: "cjs.cts", module: "NodeNext", moduleResolution: "NodeNext", format: "require" },
  "CommonJS before exports": {
    file: "old.ts",
    module: "CommonJS",
    moduleResolution: "Node10",
    format: "require",
  },
  // An Angular app's own lib, without Symbol.dispose.
  "a bundler": {
    file: "bundled.ts",
    module: "ESNext",
    moduleResolution: "Bundler",
    format: "import",
    lib: [],
  },
};

/** The checks, by name; each gives what is wrong as lines. */
export function typeChecks(folder, packages) {
  return Object.entries(compilers).flatMap(([version, ts]) =>
    Object.entries(manners).map(([manner, settings]) => [
      `the types compile for ${manner}, TypeScript ${version}`,
      () => problems(ts, folder, packages, settings),
    ]),
  );
}

function problems(ts, folder, packages, { file, format, lib = withDisposal, module, moduleResolution }) {
  const entries = packages
    .flatMap(({ entries }) => entries)
    .filter(({ formats }) => formats.includes(format));
  const source = join(folder, file);
  const names = entries.map((_, index) => `e${index}`);
  writeFileSync(
    source,
    entries.map(({ name }, index) => `import * as ${names[index]} from "${name}";\n`).join("") +
      `export const all: object[] = [${names.join(", ")}];\n`,
  );
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: false,
    types: [],
    target: ts.ScriptTarget.ES2022,
    lib: ["lib.es2022.d.ts", "lib.dom.d.ts", ...lib],
    module: ts.ModuleKind[module],
    moduleResolution: ts.ModuleResolutionKind[moduleResolution],
    ...(moduleResolution === "Node10" && ts.version.startsWith("6") && { ignoreDeprecations: "6.0" }),
  };
  const program = ts.createProgram([source], options);
  return (
    program
      .getConfigFileParsingDiagnostics()
      .concat(program.getOptionsDiagnostics(), program.getGlobalDiagnostics())
      .concat(program.getSyntacticDiagnostics(), program.getSemanticDiagnostics())
      // Other packages' own types are not ours to mend.
      .filter((one) => one.file === undefined || one.file.fileName.startsWith(folder))
      .map((one) => {
        const text = ts.flattenDiagnosticMessageText(one.messageText, " ");
        if (one.file === undefined) return text;
        const { line } = one.file.getLineAndCharacterOfPosition(one.start ?? 0);
        return `${one.file.fileName.slice(folder.length + 1)}:${line + 1}: ${text}`;
      })
  );
}
