import { absent, malformed, removed, unknown, unknownKind, type Findings, type PathKey } from "./findings.js";

/**
 * Checks one value. Answers the very same value when there is nothing to remove from it, a copy without
 * what is not known, `unknownKind` or `absent`; what is malformed is noted in the findings.
 *
 * `key` is the key under which the value stands; undefined for the whole.
 */
export type Check = (value: unknown, at: Findings, key: PathKey | undefined) => unknown;

/** The checks of an object's fields, by name. */
export type Fields = Readonly<Record<string, Check>>;

type JsonObject = Record<string, unknown>;

export const string: Check = (value, at, key) =>
  typeof value === "string" ? value : malformed(at, key, "a string", value);

export const boolean: Check = (value, at, key) =>
  typeof value === "boolean" ? value : malformed(at, key, "a boolean", value);

/** A whole number that JSON carries exactly. */
export const integer: Check = (value, at, key) =>
  Number.isSafeInteger(value) ? value : malformed(at, key, "a safe integer", value);

export const count: Check = (value, at, key) =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? value
    : malformed(at, key, "a safe integer from 0", value);

/** A JSON Pointer (RFC 6901). */
export const pointer: Check = (value, at, key) =>
  typeof value === "string" && /^(\/([^/~]|~[01])*)*$/.test(value)
    ? value
    : malformed(at, key, "a JSON Pointer", value);

/** Any JSON value: data, never looked into. */
export const any: Check = (value) => value;

/** Any JSON value but null. */
export const some: Check = (value, at, key) =>
  value === null ? malformed(at, key, "any value but null", value) : value;

/** An object with keys of any name: data, never looked into. */
export const record: Check = (value, at, key) =>
  isObject(value) ? value : malformed(at, key, "an object", value);

/** The one string that may stand here. */
export const literal =
  (only: string): Check =>
  (value, at, key) =>
    value === only ? value : malformed(at, key, `"${only}"`, value);

/** One of a closed set of strings; another string is of an unknown kind. */
export const oneOf =
  (...known: readonly string[]): Check =>
  (value, at, key) => {
    if (typeof value !== "string") return malformed(at, key, "a string", value);
    return known.includes(value) ? value : unknown(at, value);
  };

/** Null, which reads as if the field were absent. */
export const nullIsAbsent =
  (check: Check): Check =>
  (value, at, key) =>
    value === null ? absent : check(value, at, key);

/** Null, as peers from before 1.0 send it for a field they leave out. */
export const retiredNull =
  (check: Check): Check =>
  (value, at, key) => {
    if (value !== null) return check(value, at, key);
    removed(at, "retired-shape", key, "is null and was removed: leave it out instead");
    return absent;
  };

/** A string or a list. */
export const textOr =
  (list: Check): Check =>
  (value, at, key) => {
    if (typeof value === "string") return value;
    return Array.isArray(value) ? list(value, at, key) : malformed(at, key, "a string or an array", value);
  };

/** A list whose unknown elements are dropped. */
export function list(check: Check): Check {
  return (value, at, key) => {
    if (!Array.isArray(value)) return malformed(at, key, "an array", value);
    at.trail.push(key);
    let copy: unknown[] | undefined;
    for (let i = 0; i < value.length; i++) {
      const before: unknown = value[i];
      const after = check(before, at, i);
      if (after !== before) copy ??= value.slice(0, i);
      if (after === unknownKind) removed(at, "unknown-value", i, `was dropped: ${at.met} is not known here`);
      else copy?.push(after);
    }
    at.trail.pop();
    return copy ?? (value as unknown[]);
  };
}

/** An object that is one of several shapes, told apart by the name under `tag`. */
export function union(tag: string, members: Fields): Check {
  const byName = table(members);
  return (value, at, key) => {
    if (!isObject(value)) return malformed(at, key, "an object", value);
    const name = value[tag];
    if (typeof name === "string") return byName[name]?.(value, at, key) ?? unknown(at, name);
    at.trail.push(key);
    malformed(at, tag, "a string", name);
    at.trail.pop();
    return value;
  };
}

/** An object with the given fields. */
export function object(required: Fields, optional?: Fields): Check {
  const check = shape(required, optional);
  return (value, at, key) =>
    isObject(value) ? check(value, at, key) : malformed(at, key, "an object", value);
}

/**
 * What is known to be an object: it has the given fields and, unless it is `open`, no others: those are
 * removed. A required field of an unknown kind takes the whole object with it; an optional one goes alone.
 */
export function shape(required: Fields, optional: Fields = {}, open = false): Check {
  const fields = new Map<string, Field>();
  let previous: Field | undefined;
  for (const [name, check] of [...Object.entries(required), ...Object.entries(optional)]) {
    const needed = name in required ? 1 : 0;
    const field: Field = { name, check, needed, text: check === string, next: undefined };
    if (previous !== undefined) previous.next = field;
    previous = field;
    fields.set(name, field);
  }
  const needed = Object.keys(required);
  const first = fields.values().next().value;

  return (given, at, key) => {
    const value = given as JsonObject;
    // Most events are their required texts in the order of the table: to try that first takes a third off.
    let next = first;
    for (const name in value) {
      if (next === undefined || next.name !== name || !next.text || typeof value[name] !== "string")
        return sift(value, at, key);
      next = next.next;
    }
    return next === undefined || next.needed === 0 ? value : sift(value, at, key);
  };

  function sift(value: JsonObject, at: Findings, key: PathKey | undefined): unknown {
    const mark = at.removed.length;
    const fault = at.malformed;
    at.trail.push(key);
    let kept = value;
    let found = 0;
    let next = first;
    for (const name in value) {
      const item = value[name];
      const field = next?.name === name ? next : fields.get(name);
      if (field === undefined) {
        if (open || !Object.hasOwn(value, name)) continue;
        removed(at, "unknown-property", name, "was removed: the protocol does not describe it");
        kept = without(kept, name, value);
        continue;
      }
      next = field.next;
      if (field.text && typeof item === "string") {
        found += field.needed;
        continue;
      }
      if (item === undefined) continue; // JSON leaves it out
      found += field.needed;
      const after = field.check(item, at, name);
      if (after === item) continue;
      if (after === unknownKind) {
        if (field.needed === 1) {
          // The whole object goes: what was found inside it is of no interest any more.
          at.removed.length = mark;
          at.malformed = fault;
          at.trail.pop();
          return unknownKind;
        }
        removed(at, "unknown-value", name, `was removed: ${at.met} is not known here`);
      }
      kept =
        after === unknownKind || after === absent ? without(kept, name, value) : { ...kept, [name]: after };
    }
    if (found < needed.length) {
      for (const name of needed) if (value[name] === undefined) malformed(at, name, "there", undefined);
    }
    at.trail.pop();
    return kept;
  }
}

interface Field {
  readonly name: string;
  readonly check: Check;
  /** 1 when the object is not whole without it. */
  readonly needed: 0 | 1;
  /** Whether any string will do. */
  readonly text: boolean;
  /** The field that follows it in the table. */
  next: Field | undefined;
}

/** An object in which a list that is left out is empty. */
export const withLists =
  (check: Check, ...names: readonly string[]): Check =>
  (value, at, key) => {
    let kept = check(value, at, key);
    for (const name of names) {
      if (isObject(kept) && kept[name] === undefined) kept = { ...kept, [name]: [] };
    }
    return kept;
  };

/** A table for look-ups by names from outside: without what every object inherits. */
export const table = <T>(entries: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.assign(Object.create(null) as Record<string, T>, entries);

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function without(kept: JsonObject, name: string, original: JsonObject): JsonObject {
  const copy = kept === original ? { ...kept } : kept;
  delete copy[name];
  return copy;
}
