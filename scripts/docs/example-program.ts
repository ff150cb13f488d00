import { join } from "node:path";
import ts from "typescript";
import type { Example } from "./extract-examples";

/** The examples as files of one TypeScript program, beside the entries of the packages. */
export interface ExampleProgram {
  readonly program: ts.Program;
  /** What the compiler has against the examples, each with the place of the line. */
  readonly problems: () => string[];
}

/** Compiles all examples at once, against the sources of the packages, as strictly as the packages. */
export function createExampleProgram(
  root: string,
  examples: readonly Example[],
  entries: readonly string[],
): ExampleProgram {
  const configFile = join(root, "tsconfig.json");
  const config = ts.getParsedCommandLineOfConfigFile(
    configFile,
    { experimentalDecorators: true, noEmit: true },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined },
  );
  if (config === undefined) throw new Error(`${configFile} cannot be read.`);

  // They lie in the root in name only, so that imports resolve as the workspace's own.
  const files = new Map(examples.map((example, index) => [join(root, `.example-${index}.ts`), example]));
  const host = ts.createCompilerHost(config.options);
  const { fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists.call(host, name);
  host.readFile = (name) => textOf(files.get(name)) ?? readFile.call(host, name);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, options, ...rest) => {
    const text = textOf(files.get(name));
    return text === undefined
      ? getSourceFile(name, options, ...rest)
      : ts.createSourceFile(name, text, options);
  };
  const program = ts.createProgram([...files.keys(), ...entries], config.options, host);

  return {
    program,
    problems: () =>
      [...files].flatMap(([name, example]) => {
        const source = program.getSourceFile(name)!;
        return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
          (diagnostic) => {
            const line = source.getLineAndCharacterOfPosition(diagnostic.start ?? 0).line;
            const place = example.lines[line]?.place ?? example.place;
            return `${place}: ${ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n  ")}`;
          },
        );
      }),
  };
}

/** Each example is a module, so that its names are its own. */
function textOf(example: Example | undefined): string | undefined {
  return example && example.lines.map((line) => line.text).join("\n") + "\nexport {};\n";
}
