import { format, inspect } from "node:util";
import ts from "typescript";
import type { Example } from "./extract-examples";

/** What one `console.log` of an example should print, and did. */
export interface Printed {
  readonly place: string;
  /** The comment at the end of its line. */
  readonly expected: string;
  /** What it printed; what it printed several times is joined with a comma. */
  readonly printed: string;
}

interface Site extends Omit<Printed, "printed"> {
  readonly output: string[];
}

/** Whether an example says what it prints. */
export function saysWhatItPrints(example: Example): boolean {
  return example.run && example.lines.some(({ text }) => /console\.log\(.*\/\/ /.test(text));
}

/**
 * Runs an example and gives what each of its `console.log`s with a comment at the end of its line printed.
 *
 * Ends when all have printed what they should, or after `patience` milliseconds.
 */
export async function runExample(
  example: Example,
  load: (name: string) => unknown,
  patience = 2000,
): Promise<Printed[]> {
  const { code, sites } = instrument(example);
  const log = (site: number, ...values: unknown[]) => sites[site]!.output.push(format(...values.map(plain)));
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor as FunctionConstructor;
  const body = AsyncFunction("require", "exports", "agrxLog", code) as (
    ...values: unknown[]
  ) => Promise<void>;

  let failure: unknown;
  let done = false;
  body(load, {}, log).then(
    () => (done = true),
    (error: unknown) => {
      failure = error ?? new Error("failed with nothing");
      done = true;
    },
  );
  const start = performance.now();
  const isSettled = () => done && sites.every((site) => site.expected === "" || matches(result(site)));
  while (failure === undefined && !isSettled() && performance.now() - start < patience)
    await new Promise((resolve) => setTimeout(resolve, 2));
  if (failure !== undefined) throw withPlace(failure, example);
  return sites.filter((site) => site.expected !== "").map(result);
}

/** Whether it printed what its comment says; a comment that ends in "..." tells the beginning. */
export function matches({ expected, printed }: Printed): boolean {
  return expected.endsWith("...")
    ? printed.startsWith(expected.slice(0, -3).trimEnd())
    : printed === expected;
}

function result({ output, ...site }: Site): Printed {
  return { ...site, printed: output.join(", ") };
}

/** A value of several lines would not fit into a comment. */
function plain(value: unknown): unknown {
  return typeof value === "object" && value !== null
    ? inspect(value, { breakLength: Infinity, depth: 6, compact: true })
    : value;
}

/** Makes the example a script that tells each `console.log` apart. */
function instrument(example: Example): { code: string; sites: Site[] } {
  const text = example.lines.map((line) => line.text).join("\n");
  const file = ts.createSourceFile("example.ts", text, ts.ScriptTarget.ES2022, true);
  const sites: Site[] = [];
  const calls: { start: number; end: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText(file) === "console.log") {
      const line = file.getLineAndCharacterOfPosition(node.end).line;
      const rest = text.slice(node.end, file.getLineStarts()[line + 1] ?? text.length);
      const [, comment = ""] = /\/\/ ?(.*)/.exec(rest) ?? [];
      calls.push({
        start: node.expression.pos + node.expression.getLeadingTriviaWidth(file),
        end: node.arguments.pos,
      });
      sites.push({ place: example.lines[line]!.place, expected: comment.trim(), output: [] });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);

  let code = "";
  let at = 0;
  for (const [index, { start, end }] of calls.entries()) {
    code += `${text.slice(at, start)}agrxLog(${index}, `;
    at = end;
  }
  code += text.slice(at);
  const { outputText } = ts.transpileModule(code, {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.CommonJS,
      esModuleInterop: true,
      experimentalDecorators: true,
    },
  });
  return { code: outputText, sites };
}

function withPlace(failure: unknown, example: Example): Error {
  const message = failure instanceof Error ? `${failure.name}: ${failure.message}` : String(failure);
  return new Error(`${example.place}: the example failed with ${message}`, { cause: failure });
}
