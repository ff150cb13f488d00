import type { AGUIEvent } from "../protocol/vocabulary.js";
import { defaultFields } from "./events.js";
import { ANY_EVENT, byWord, type Notation } from "./notation.js";

/**
 * Reads a run written as a line of words, one an event, and gives its events.
 *
 * A word is a noun and what happens to it: `+` opens, `:` continues, `-` closes, `!` fails, `=` answers or
 * sets, `~` is a chunk. So a whole run is
 *
 * ```text
 * run+  text+m text:m"Hello" text-m  call+c/roll_dice call:c'{"sides":20}' call-c call=c"17"  run-
 * ```
 *
 * | noun | is a | id | `/` |
 * |---|---|---|---|
 * | `run` | run (`run!"why"` is RUN_ERROR) | `r` if left out | thread |
 * | `text` | text message | message | role |
 * | `call` | tool call | call | tool (result: its message) |
 * | `thought` | reasoning message | message | |
 * | `span` | reasoning span | message | |
 * | `step` | step | name | |
 * | `activity` | activity | message | type |
 * | `agent` | subagent | its run | name |
 * | `state=` `state:` | state snapshot, delta | | |
 * | `messages=` | messages snapshot | | |
 * | `encrypted=` | encrypted value | entity | subtype |
 * | `custom=` `raw=` | CUSTOM, RAW | | name, source |
 *
 * After the noun and its sign, without a space between, come in this order, each of them optional: the id;
 * `/` and the second word; `@` and the owner, a `subagentRunId`; the content, a string in single or double
 * quotes (with JSON's escapes) or JSON where the field is JSON (`state={"n":1}`); `&` and an object of JSON
 * with further fields: `text+m/user&{"name":"Ann"}`. `event={...}` is any event, written out.
 *
 * What is left out is as in {@link events}: absent where it may be, else a short default. White space
 * separates words and has no meaning: there is no time in a run.
 *
 * Throws a `SyntaxError` that points at the word which cannot be read.
 *
 * @example
 * ```ts
 * import { runMarbles } from "@agrx/core/testing";
 *
 * const [started, opened] = runMarbles(`run+ call+c/roll_dice call:c'{"sides":20}' call-c run-`);
 * console.log(started?.type, opened?.type); // RUN_STARTED TOOL_CALL_START
 * ```
 */
export function runMarbles(line: string): AGUIEvent[] {
  const events: AGUIEvent[] = [];
  const reader = createReader(line);
  while (reader.nextWord()) events.push(readEvent(reader));
  return events;
}

function readEvent(reader: Reader): AGUIEvent {
  const word = reader.take(/[a-z]+[+:=~!-]/y);
  if (word === ANY_EVENT) return reader.json() as AGUIEvent;
  const notation = word === undefined ? undefined : byWord.get(word);
  if (notation === undefined) throw reader.error("begins with no word of the notation");
  const fields = { type: notation.type, ...structuredClone(defaultFields[notation.type]) };
  Object.assign(fields, readFields(reader, notation));
  if (!reader.at(/\s|$/y)) throw reader.error("goes on where its event is complete");
  return fields as unknown as AGUIEvent;
}

function readFields(reader: Reader, { id, second, payload, json }: Notation): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const set = (field: string | undefined, value: unknown) => {
    if (value === undefined) return;
    if (field === undefined) throw reader.error("has more than its event can hold");
    fields[field] = value;
  };
  if (id !== undefined) set(id, reader.take(/[^\s/@"'&{[]+/y));
  if (reader.take(/\//y)) set(second, reader.take(/[^\s@"'&{[]+/y));
  if (reader.take(/@/y)) set("subagentRunId", reader.take(/[^\s"'&{[]+/y));
  if (reader.at(/[^\s&]/y)) set(payload, json ? reader.json() : reader.string());
  if (reader.take(/&/y)) Object.assign(fields, reader.json());
  return fields;
}

interface Reader {
  /** Skips white space; whether a word follows. */
  nextWord(): boolean;
  /** Whether the text goes on with the pattern, which is sticky. */
  at(pattern: RegExp): boolean;
  /** Takes what matches the pattern, which is sticky. */
  take(pattern: RegExp): string | undefined;
  /** Takes a string in single or double quotes. */
  string(): string;
  /** Takes a JSON text. */
  json(): unknown;
  error(problem: string): SyntaxError;
}

function createReader(line: string): Reader {
  let position = 0;
  let wordAt = 0;

  const take: Reader["take"] = (pattern) => {
    pattern.lastIndex = position;
    const taken = pattern.exec(line)?.[0];
    if (taken === undefined) return undefined;
    position += taken.length;
    return taken;
  };

  const error: Reader["error"] = (problem) =>
    new SyntaxError(
      `The word at ${wordAt} (${line.slice(wordAt).match(/\S{0,40}/)?.[0]}) ${problem}. See runMarbles() for the notation.`,
    );

  const parse = (text: string): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      throw error("holds a text that is no JSON");
    }
  };

  return {
    nextWord() {
      take(/\s+/y);
      wordAt = position;
      return position < line.length;
    },
    at(pattern) {
      pattern.lastIndex = position;
      return pattern.test(line);
    },
    take,
    string() {
      const double = take(/"(?:[^"\\]|\\[^])*"/y);
      if (double !== undefined) return parse(double) as string;
      const single = take(/'(?:[^'\\]|\\[^])*'/y);
      if (single === undefined) throw error("goes on with neither a string nor a known sign");
      const escaped = single.slice(1, -1).replace(/\\[^]|"/g, (part) => quotes[part] ?? part);
      return parse(`"${escaped}"`) as string;
    },
    json() {
      const end = endOfJson(line, position);
      const text = line.slice(position, end);
      position = end;
      return parse(text);
    },
    error,
  };
}

/** What differs between a string in single quotes and JSON's. */
const quotes: Record<string, string> = { '"': '\\"', "\\'": "'" };

/** Where the JSON text that begins at `start` ends: the length of the line when it never does. */
function endOfJson(line: string, start: number): number {
  const part = /"(?:[^"\\]|\\[^])*"|[{[]|[}\]]|[^\s"{}[\]&]+|[^]/y;
  let depth = 0;
  for (part.lastIndex = start; part.lastIndex < line.length;) {
    const token = part.exec(line)?.[0] ?? "";
    if (token === "{" || token === "[") depth++;
    if (token === "}" || token === "]") depth--;
    if (depth <= 0) return part.lastIndex;
  }
  return line.length;
}
