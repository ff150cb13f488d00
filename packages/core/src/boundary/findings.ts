import { quoteId } from "../protocol/quote-id.js";

/** A key on the way to a value inside an event or an input. */
export type PathKey = string | number;

/** Something that a check removed, or took in place of something else: what a warning is made of. */
export interface Finding {
  readonly code: "unknown-property" | "unknown-value" | "retired-shape";
  readonly path: string;
  /** What was done, to be read behind the path: "was removed: ...". */
  readonly message: string;
}

/** The first value that is not what the protocol says. */
export interface Malformation {
  readonly path: string;
  /** What was expected and what came, to be read behind the path. */
  readonly message: string;
}

/** What the checks of one value have found so far, and where in the value they stand. */
export interface Findings {
  removed: Finding[];
  malformed: Malformation | undefined;
  /** The name that a check did not know when it last answered {@link unknownKind}, in quotes. */
  met: string;
  readonly trail: (PathKey | undefined)[];
}

export const createFindings = (): Findings => ({ removed: [], malformed: undefined, met: "", trail: [] });

/** A check's answer for a value of a kind that this version does not know: whoever holds it decides what goes. */
export const unknownKind: unique symbol = Symbol();

/** A check's answer for a field that reads as if it had not been sent. */
export const absent: unique symbol = Symbol();

/** Notes a value that the protocol does not allow; the first one counts. */
export function malformed(at: Findings, key: PathKey | undefined, expected: string, value: unknown): unknown {
  const message = value === undefined ? "is missing" : `must be ${expected}, but is ${describe(value)}`;
  at.malformed ??= { path: pathTo(at, key), message };
  return value;
}

/** Notes what was removed or translated. */
export function removed(
  at: Findings,
  code: Finding["code"],
  key: PathKey | undefined,
  message: string,
): void {
  at.removed.push({ code, path: pathTo(at, key), message });
}

/** Answers that a name is not known. */
export function unknown(at: Findings, name: string): typeof unknownKind {
  at.met = quoteId(name);
  return unknownKind;
}

/** A name from outside, short enough for a message. */
export const short = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}...` : name);

function pathTo({ trail }: Findings, key: PathKey | undefined): string {
  const keys = [...trail, key].filter((each) => each !== undefined);
  return keys.map((each) => short(String(each))).join(".");
}

/** What kind of value came, without the value. */
export function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (typeof value === "object") return Array.isArray(value) ? "an array" : "an object";
  return typeof value === "string" ? "another string" : `a ${typeof value}`;
}
