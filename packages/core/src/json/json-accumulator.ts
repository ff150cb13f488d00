import { JsonTextError } from "./json-text-error.js";

/** What {@link createJsonAccumulator} takes. */
export interface JsonAccumulatorOptions {
  /** How many containers may stand inside each other; 512 by default. */
  readonly maxDepth?: number;
  /** Shows a number while its digits still come, so that 12 may become 123; false by default. */
  readonly earlyNumbers?: boolean;
}

/** Reads a JSON text that arrives in fragments, cut anywhere; see {@link createJsonAccumulator}. */
export interface JsonAccumulator {
  /** Takes the next fragment. Never throws: what is no JSON shows as `error`, and nothing after it is read. */
  push(fragment: string): void;
  /**
   * What is certain so far; undefined while nothing is. Never changed after it was read.
   *
   * A string shows as far as it has come, an object's member once its value has begun, a number once
   * a character after it, or `end()`, shows that it is whole.
   */
  readonly value: unknown;
  /** All fragments, joined. */
  readonly raw: string;
  /** Whether `raw` is one whole JSON text. */
  readonly complete: boolean;
  /**
   * Says that no more comes, which makes a number at the end certain. Gives the error where the text is
   * no whole JSON text. Another `push` takes it back.
   */
  end(): JsonTextError | undefined;
  /** Why the text can never become JSON, or what the last `end()` missed. */
  readonly error: JsonTextError | undefined;
  /**
   * How many slots the next read copies at most: an element of an open array is one, a member of an
   * open object counts as eight.
   */
  readonly readCost: number;
}

const enum Expecting {
  Value,
  ValueOrEnd,
  KeyOrEnd,
  Key,
  Colon,
  CommaOrEnd,
  Nothing,
  String,
  Escape,
  Hex,
  Number,
  Literal,
}

const wanted: readonly string[] = [
  "a value",
  'a value or "]"',
  'a key or "}"',
  "a key",
  '":"',
  '"," or the container\'s end',
  "nothing more",
  "the end of a string",
  "an escaped character",
  "four hexadecimal digits",
  "a digit",
  "true, false or null",
];

type Container = unknown[] | Record<string, unknown>;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

// The parts of a number, and what a digit, a point, an exponent's e and a sign after each make of it.
// 0 minus, 1 leading zero, 2 integer, 3 point, 4 fraction, 5 e, 6 sign of the exponent, 7 exponent, 8 none
const afterDigit = [2, 8, 2, 4, 4, 7, 7, 7];
const afterPoint = [8, 3, 3, 8, 8, 8, 8, 8];
const afterE = [8, 5, 5, 8, 5, 8, 8, 8];
const afterSign = [8, 8, 8, 8, 8, 6, 8, 8];
const notNumber = 8;
const isWhole = (part: number) => part === 1 || part === 2 || part === 4 || part === 7;

function nextPart(part: number, code: number): number {
  if (code >= 48 && code <= 57) return part === 0 && code === 48 ? 1 : afterDigit[part]!;
  if (code === 46) return afterPoint[part]!;
  if (code === 69 || code === 101) return afterE[part]!;
  return afterSign[part]!;
}

/** Whether a character can stand in a number at all. */
const isNumeric = (code: number) =>
  (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46 || code === 69 || code === 101;

function assign(container: Container, key: string | number, value: unknown): void {
  if (typeof key === "number") (container as unknown[])[key] = value;
  else if (key === "__proto__")
    Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
  else (container as Record<string, unknown>)[key] = value;
}

/**
 * Reads a JSON text that arrives in fragments, cut anywhere, and shows its value so far.
 *
 * Strict JSON, as JSON.parse reads it, but that a raw control character inside a string is read as
 * itself. Each character is looked at once; a read costs the direct children of the containers that are
 * still open, and nothing when nothing came since the last one. Closed values keep their reference.
 *
 * @example
 * ```ts
 * import { createJsonAccumulator } from "@agrx/core";
 *
 * const json = createJsonAccumulator();
 * json.push('{"city":"Seo');
 * console.log(json.value); // { city: 'Seo' }
 * json.push('ul","days":3}');
 * console.log(json.value, json.complete); // { city: 'Seoul', days: 3 } true
 * ```
 */
export function createJsonAccumulator(options: JsonAccumulatorOptions = {}): JsonAccumulator {
  const { maxDepth = 512, earlyNumbers = false } = options;
  let raw = "";
  let failure: JsonTextError | undefined;
  let ended: JsonTextError | undefined;

  let expecting = Expecting.Value;
  let root: unknown;
  // The containers that are open, the place in each where its latest child stands, and its cost.
  const containers: Container[] = [];
  const keys: (string | number)[] = [];
  const costs: number[] = [];
  let depth = 0;
  let readCost = 0;
  /** The open containers are part of a value that was read: copy them before the next change. */
  let shown = false;

  /** The string, number or literal that is being read. */
  let text = "";
  /** A high surrogate at the string's end: shown once its other half, or the string's end, has come. */
  let half = "";
  let isKey = false;
  /** The string's text is newer than what stands in its container. */
  let pending = false;
  let hex = "";
  let part = 0;

  function put(value: unknown): void {
    if (depth === 0) {
      root = value;
      return;
    }
    if (shown) {
      for (let level = 0; level < depth; level++) {
        const open = containers[level]!;
        const copy = Array.isArray(open) ? open.slice() : { ...open };
        containers[level] = copy;
        if (level === 0) root = copy;
        else assign(containers[level - 1]!, keys[level - 1]!, copy);
      }
      shown = false;
    }
    assign(containers[depth - 1]!, keys[depth - 1]!, value);
  }

  function count(cost: number): void {
    costs[depth - 1]! += cost;
    readCost += cost;
  }

  function valueEnded(): void {
    expecting = depth === 0 ? Expecting.Nothing : Expecting.CommaOrEnd;
  }

  function fail(position: number, code: "json-invalid" | "json-too-deep" = "json-invalid"): void {
    const at = `at position ${String(position)}`;
    failure = new JsonTextError(
      code,
      position,
      code === "json-invalid"
        ? `No JSON ${at}: expected ${wanted[expecting]!}.`
        : `More than ${String(maxDepth)} containers inside each other ${at}.`,
    );
  }

  function open(container: Container, position: number): void {
    if (depth === maxDepth) {
      fail(position, "json-too-deep");
      return;
    }
    put(container);
    containers[depth] = container;
    costs[depth] = 0;
    depth++;
    if (Array.isArray(container)) {
      keys[depth - 1] = 0;
      count(1);
      expecting = Expecting.ValueOrEnd;
    } else {
      keys[depth - 1] = "";
      expecting = Expecting.KeyOrEnd;
    }
  }

  function close(): void {
    depth--;
    readCost -= costs[depth]!;
    containers.length = depth;
    valueEnded();
  }

  function beginString(asKey: boolean): void {
    text = half = "";
    isKey = asKey;
    pending = !asKey;
    expecting = Expecting.String;
  }

  function append(segment: string): void {
    const last = segment.charCodeAt(segment.length - 1);
    if (last >= 0xd800 && last <= 0xdbff) {
      text += half + segment.slice(0, -1);
      half = segment.slice(-1);
    } else {
      text += half + segment;
      half = "";
    }
    pending = true;
  }

  function endString(): void {
    if (half !== "") {
      text += half;
      pending = true;
    }
    if (isKey) {
      keys[depth - 1] = text;
      count(8);
      expecting = Expecting.Colon;
    } else {
      if (pending) put(text);
      pending = false;
      valueEnded();
    }
  }

  function readValue(character: string, code: number, position: number): void {
    switch (code) {
      case 34:
        beginString(false);
        break;
      case 123:
        open({}, position);
        break;
      case 91:
        open([], position);
        break;
      case 116:
      case 102:
      case 110:
        text = character;
        expecting = Expecting.Literal;
        break;
      default:
        if (code === 45) part = 0;
        else if (code === 48) part = 1;
        else if (code > 48 && code <= 57) part = 2;
        else {
          fail(position);
          return;
        }
        text = character;
        expecting = Expecting.Number;
    }
  }

  function read(fragment: string, offset: number): void {
    const length = fragment.length;
    let i = 0;
    while (i < length && failure === undefined) {
      if (expecting === Expecting.String) {
        const start = i;
        let code = 0;
        for (; i < length; i++) {
          code = fragment.charCodeAt(i);
          if (code === 34 || code === 92) break;
        }
        if (i > start) append(fragment.slice(start, i));
        if (i === length) return;
        i++;
        if (code === 34) endString();
        else expecting = Expecting.Escape;
        continue;
      }
      const code = fragment.charCodeAt(i);
      if (expecting === Expecting.Number) {
        const start = i;
        while (i < length && part !== notNumber && isNumeric(fragment.charCodeAt(i))) {
          part = nextPart(part, fragment.charCodeAt(i));
          i++;
        }
        if (part === notNumber) {
          fail(offset + i - 1);
          return;
        }
        text += fragment.slice(start, i);
        if (i === length) return;
        if (!isWhole(part)) {
          fail(offset + i);
          return;
        }
        put(Number(text));
        valueEnded();
        continue;
      }
      if ((code === 32 || code === 10 || code === 13 || code === 9) && expecting < Expecting.String) {
        i++;
        continue;
      }
      const character = fragment[i]!;
      switch (expecting) {
        case Expecting.ValueOrEnd:
          if (code === 93) close();
          else readValue(character, code, offset + i);
          break;
        case Expecting.Value:
          readValue(character, code, offset + i);
          break;
        case Expecting.CommaOrEnd: {
          const isArray = Array.isArray(containers[depth - 1]);
          if (code === 44) {
            if (isArray) {
              (keys[depth - 1] as number)++;
              count(1);
              expecting = Expecting.Value;
            } else expecting = Expecting.Key;
          } else if (code === (isArray ? 93 : 125)) close();
          else fail(offset + i);
          break;
        }
        case Expecting.KeyOrEnd:
        case Expecting.Key:
          if (code === 34) beginString(true);
          else if (code === 125 && expecting === Expecting.KeyOrEnd) close();
          else fail(offset + i);
          break;
        case Expecting.Colon:
          if (code === 58) expecting = Expecting.Value;
          else fail(offset + i);
          break;
        case Expecting.Escape: {
          const meant = escapes[character];
          if (meant !== undefined) {
            append(meant);
            expecting = Expecting.String;
          } else if (code === 117) {
            hex = "";
            expecting = Expecting.Hex;
          } else fail(offset + i);
          break;
        }
        case Expecting.Hex:
          if (!/[\da-fA-F]/.test(character)) fail(offset + i);
          else if ((hex += character).length === 4) {
            append(String.fromCharCode(parseInt(hex, 16)));
            expecting = Expecting.String;
          }
          break;
        case Expecting.Literal: {
          const literal = text[0] === "t" ? "true" : text[0] === "f" ? "false" : "null";
          text += character;
          if (text === literal) {
            put(literal === "null" ? null : literal === "true");
            valueEnded();
          } else if (!literal.startsWith(text)) fail(offset + i);
          break;
        }
        default:
          fail(offset + i);
      }
      i++;
    }
  }

  return {
    push(fragment) {
      const offset = raw.length;
      raw += fragment;
      ended = undefined;
      if (failure === undefined) read(fragment, offset);
    },
    get value() {
      if (expecting >= Expecting.String && expecting <= Expecting.Hex && !isKey && pending) {
        put(text);
        pending = false;
      } else if (earlyNumbers && expecting === Expecting.Number) {
        const sure = /^-?\d+(\.\d+)?([eE][+-]?\d+)?/.exec(text)?.[0];
        if (sure !== undefined) put(Number(sure));
      }
      shown = true;
      return root;
    },
    get raw() {
      return raw;
    },
    get complete() {
      return (
        failure === undefined &&
        depth === 0 &&
        (expecting === Expecting.Nothing || (expecting === Expecting.Number && isWhole(part)))
      );
    },
    end() {
      if (failure !== undefined) return failure;
      if (this.complete) {
        if (expecting === Expecting.Number) put(Number(text));
        return undefined;
      }
      let closers = "";
      for (let level = depth - 1; level >= 0; level--)
        closers += Array.isArray(containers[level]) ? "]" : "}";
      ended = new JsonTextError(
        "json-incomplete",
        raw.length,
        `The JSON text stops at position ${String(raw.length)}: missing ${wanted[expecting]!}` +
          (closers === "" ? "." : ` and then ${closers}.`),
      );
      return ended;
    },
    get error() {
      return failure ?? ended;
    },
    get readCost() {
      return readCost;
    },
  };
}
