import { readFileSync } from "node:fs";

/** One fenced block of code, with the place of each of its lines. */
export interface Example {
  /** File and line of its fence, as an editor opens it: `README.md:12`. */
  readonly place: string;
  readonly lines: readonly ExampleLine[];
  /** Whether it may be run; without, it is only compiled. */
  readonly run: boolean;
}

export interface ExampleLine {
  readonly text: string;
  readonly place: string;
}

const opening = /^\s*```(ts|typescript)(?:\s+(.*?))?\s*$/;
const closing = /^\s*```\s*$/;

/**
 * The TypeScript blocks of a file: all of a Markdown file's, and those of a source file's TSDoc comments.
 *
 * Words after the language: `no-run` only compiles the block, `continues` puts the block before it, of
 * the same file, in front of it.
 */
export function extractExamples(file: string, name: string): Example[] {
  const text = readFileSync(file, "utf8");
  return examplesOf(file.endsWith(".md") ? text : onlyComments(text), name);
}

/** The same for a text at hand; `name` is what places are told with. */
export function examplesOf(text: string, name: string): Example[] {
  const examples: Example[] = [];
  let block: { indent: number; words: string[]; place: string; lines: ExampleLine[] } | undefined;
  for (const [index, line] of text.split("\n").entries()) {
    const place = `${name}:${index + 1}`;
    if (block === undefined) {
      const [, language, words] = opening.exec(line) ?? [];
      if (language === undefined) continue;
      block = { indent: line.search(/\S/), words: words?.split(/\s+/) ?? [], place, lines: [] };
    } else if (closing.test(line)) {
      const before = block.words.includes("continues") ? examples.at(-1) : undefined;
      examples.push({
        place: block.place,
        lines: [...(before?.lines ?? []), ...block.lines],
        run: !block.words.includes("no-run") && before?.run !== false,
      });
      block = undefined;
    } else {
      block.lines.push({ text: line.slice(Math.min(block.indent, line.search(/\S|$/))), place });
    }
  }
  if (block !== undefined) throw new Error(`${block.place}: this block of code is never closed.`);
  return examples;
}

/** A source file with everything but the text of its TSDoc comments blanked, line by line. */
function onlyComments(source: string): string {
  let inside = false;
  return source
    .split("\n")
    .map((line) => {
      const wasInside = inside;
      if (!inside) inside = /^\s*\/\*\*(?!.*\*\/)/.test(line);
      else if (line.includes("*/")) inside = false;
      return wasInside && inside ? line.replace(/^\s*\* ?/, "") : "";
    })
    .join("\n");
}
