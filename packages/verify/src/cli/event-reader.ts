import { createParser } from "eventsource-parser";

/** A JSON value of the input and where it begins. */
export interface Entry {
  /** Line in the input, from 1. */
  readonly line: number;
  /** The value; absent when the text is no JSON. */
  readonly value?: unknown;
  /** Why there is no value. */
  readonly problem?: string;
}

/** What the input is written in. */
export type InputFormat = "JSONL" | "SSE";

/** Reads lines as events; see {@link createEventReader}. */
export interface EventReader {
  /** What the first line that is not blank says; undefined before it. */
  readonly format: InputFormat | undefined;
  /** Takes the next line and gives what is complete with it. Throws when the first one is of no known format. */
  push(line: string): Entry[];
  /** Says that no more comes. */
  end(): Entry[];
}

/** Makes a reader of JSONL, one event a line, or of server-sent events: whichever the first line looks like. */
export function createEventReader(): EventReader {
  let format: InputFormat | undefined;
  let read: ((line: string, number: number) => Entry[]) | undefined;
  let number = 0;
  return {
    get format() {
      return format;
    },
    push(line) {
      number++;
      if (read === undefined) {
        if (line.trim() === "") return [];
        format = formatOf(line);
        read = format === "SSE" ? createSseReader() : readJsonLine;
      }
      return read(line, number);
    },
    end: () => (format === "SSE" && read ? read("", number + 1) : []),
  };
}

function formatOf(line: string): InputFormat {
  if (line.trimStart().startsWith("{")) return "JSONL";
  if (/^(?:data|event|id|retry)?:/.test(line)) return "SSE";
  const what = line.trimStart().startsWith("[")
    ? "a JSON array: write one event a line"
    : "neither JSONL nor SSE";
  throw new SyntaxError(`The input is ${what}. The first line begins with "{", "data:", "event:" or ":".`);
}

function readJsonLine(text: string, line: number): Entry[] {
  return text.trim() === "" ? [] : [parse(text, line)];
}

function createSseReader(): (text: string, line: number) => Entry[] {
  let entries: Entry[] = [];
  /** The line of the frame's first data. */
  let begin: number | undefined;
  const parser = createParser({
    onEvent({ data }) {
      if (begin !== undefined) entries.push(parse(data, begin));
    },
  });
  return (text, line) => {
    entries = [];
    if (text.startsWith("data")) begin ??= line;
    parser.feed(`${text}\n`);
    if (text === "") begin = undefined;
    return entries;
  };
}

function parse(text: string, line: number): Entry {
  try {
    return { line, value: JSON.parse(text) };
  } catch {
    return { line, problem: `is no JSON (${text.length} characters)` };
  }
}
