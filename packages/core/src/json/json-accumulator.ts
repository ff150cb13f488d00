import { GrowingString } from "./growing-string.js";
import { GrowingValue } from "./growing-value.js";
import { NumberPart, isWholeNumber, nextNumberPart } from "./json-number.js";
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

/** What the next character has to belong to. */
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

const expectations: readonly string[] = [
  "a value",
  'a value or "]"',
  'a key or "}"',
  "a key",
  '":"',
  "a comma or the container's end",
  "nothing more",
  "a string's end",
  "an escaped character",
  "four hexadecimal digits",
  "a digit",
  "true, false or null",
];

/** Where a character stands next; the text's end where it does not. */
function indexOr(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? text.length : index;
}

/** What a character after a backslash means; "" where it means nothing by itself. */
function simpleEscape(code: number): string {
  switch (code) {
    case 34:
      return '"';
    case 47:
      return "/";
    case 92:
      return "\\";
    case 98:
      return "\b";
    case 102:
      return "\f";
    case 110:
      return "\n";
    case 114:
      return "\r";
    case 116:
      return "\t";
    default:
      return "";
  }
}

// A class, since methods on a prototype run a third faster here than closures made for each accumulator.
class FragmentReader implements JsonAccumulator {
  readonly #maxDepth: number;
  readonly #earlyNumbers: boolean;
  readonly #value = new GrowingValue();
  readonly #string = new GrowingString();
  #raw = "";
  #fragments: string[] = [];
  #length = 0;
  #invalid: JsonTextError | undefined = undefined;
  #unfinished: JsonTextError | undefined = undefined;

  #expecting = Expecting.Value;
  #isKey = false;
  /** A value's string has come further than what stands in its place. */
  #pending = false;
  /** Where the fragment's next backslash stands, as far as it is known. */
  #backslash = -1;
  #hex = "";
  #number = "";
  #part = NumberPart.Nothing;
  #literal = "";
  #matched = 0;

  constructor({ maxDepth = 512, earlyNumbers = false }: JsonAccumulatorOptions) {
    this.#maxDepth = maxDepth;
    this.#earlyNumbers = earlyNumbers;
  }

  push(fragment: string): void {
    this.#fragments.push(fragment);
    this.#unfinished = undefined;
    this.#backslash = -1;
    for (let i = 0; i < fragment.length && this.#invalid === undefined;) {
      if (this.#expecting === Expecting.String) i = this.#readString(fragment, i);
      else if (this.#expecting === Expecting.Number) i = this.#readNumber(fragment, i);
      else {
        this.#readCharacter(fragment.charCodeAt(i), this.#length + i);
        i++;
      }
    }
    this.#length += fragment.length;
  }

  get value(): unknown {
    if (this.#pending) {
      this.#value.put(this.#string.read());
      this.#pending = false;
    } else if (this.#earlyNumbers && this.#expecting === Expecting.Number) {
      const whole = /^-?\d+(\.\d+)?(e[+-]?\d+)?/i.exec(this.#number);
      if (whole !== null) this.#value.put(Number(whole[0]));
    }
    return this.#value.read();
  }

  get raw(): string {
    if (this.#fragments.length > 0) {
      this.#raw += this.#fragments.length === 1 ? this.#fragments[0]! : this.#fragments.join("");
      this.#fragments = [];
    }
    return this.#raw;
  }

  get complete(): boolean {
    return (
      this.#invalid === undefined &&
      this.#value.top === undefined &&
      (this.#expecting === Expecting.Nothing ||
        (this.#expecting === Expecting.Number && isWholeNumber(this.#part)))
    );
  }

  get error(): JsonTextError | undefined {
    return this.#invalid ?? this.#unfinished;
  }

  get readCost(): number {
    return this.#value.readCost;
  }

  end(): JsonTextError | undefined {
    if (this.complete) {
      if (this.#expecting === Expecting.Number) this.#value.put(Number(this.#number));
    } else {
      const closers = this.#value.closers();
      const missing = expectations[this.#expecting]! + (closers === "" ? "" : ` and then ${closers}`);
      const message = `The JSON text stops at position ${String(this.#length)}: missing ${missing}.`;
      this.#unfinished = new JsonTextError("json-incomplete", this.#length, message);
    }
    return this.error;
  }

  #fail(position: number): void {
    const message = `No JSON at position ${String(position)}: expected ${expectations[this.#expecting]!}.`;
    this.#invalid = new JsonTextError("json-invalid", position, message);
  }

  #valueEnded(): void {
    this.#expecting = this.#value.top === undefined ? Expecting.Nothing : Expecting.CommaOrEnd;
  }

  #openContainer(isArray: boolean, position: number): void {
    if (this.#value.depth === this.#maxDepth) {
      const message = `More than ${String(this.#maxDepth)} containers inside each other at position ${String(position)}.`;
      this.#invalid = new JsonTextError("json-too-deep", position, message);
      return;
    }
    this.#value.openContainer(isArray);
    this.#expecting = isArray ? Expecting.ValueOrEnd : Expecting.KeyOrEnd;
  }

  #closeContainer(): void {
    this.#value.closeContainer();
    this.#valueEnded();
  }

  #beginString(asKey: boolean): void {
    this.#isKey = asKey;
    this.#pending = !asKey;
    this.#expecting = Expecting.String;
  }

  #append(piece: string): void {
    if (piece === "") return;
    this.#string.append(piece);
    this.#pending = !this.#isKey;
  }

  #endString(): void {
    const isNewer = this.#pending || this.#string.isCut;
    const whole = this.#string.take();
    if (this.#isKey) {
      this.#value.member(whole);
      this.#expecting = Expecting.Colon;
    } else {
      if (isNewer) this.#value.put(whole);
      this.#pending = false;
      this.#valueEnded();
    }
  }

  /** Reads a string up to its end, a cut escape or the fragment's end; gives the position after it. */
  #readString(fragment: string, start: number): number {
    const quote = indexOr(fragment, '"', start);
    if (this.#backslash < start) this.#backslash = indexOr(fragment, "\\", start);
    let end = quote;
    let piece: string;
    if (this.#backslash < quote) {
      // Pieces of one fragment are joined before they join the string, whose rope then grows by one node.
      piece = fragment.slice(start, this.#backslash);
      let from = this.#backslash;
      for (;;) {
        const meant = from + 1 < fragment.length ? simpleEscape(fragment.charCodeAt(from + 1)) : "";
        if (meant === "") {
          this.#append(piece);
          this.#expecting = Expecting.Escape;
          return from + 1;
        }
        from += 2;
        if (end < from) end = indexOr(fragment, '"', from);
        this.#backslash = indexOr(fragment, "\\", from);
        piece += meant;
        if (this.#backslash >= end) break;
        piece += fragment.slice(from, this.#backslash);
        from = this.#backslash;
      }
      piece += fragment.slice(from, end);
    } else piece = fragment.slice(start, end);
    this.#append(piece);
    if (end === fragment.length) return end;
    this.#endString();
    return end + 1;
  }

  /** Reads a number up to the first character that does not continue it; gives that one's position. */
  #readNumber(fragment: string, start: number): number {
    let i = start;
    for (; i < fragment.length; i++) {
      const next = nextNumberPart(this.#part, fragment.charCodeAt(i));
      if (next === NumberPart.End) break;
      this.#part = next;
    }
    this.#number += fragment.slice(start, i);
    if (i === fragment.length) return i;
    if (isWholeNumber(this.#part)) {
      this.#value.put(Number(this.#number));
      this.#valueEnded();
    } else this.#fail(this.#length + i);
    return i;
  }

  #readEscape(code: number, position: number): void {
    const meant = simpleEscape(code);
    if (meant !== "") {
      this.#append(meant);
      this.#expecting = Expecting.String;
    } else if (code === 117) {
      this.#hex = "";
      this.#expecting = Expecting.Hex;
    } else this.#fail(position);
  }

  #beginValue(code: number, position: number): void {
    if (code === 34) this.#beginString(false);
    else if (code === 123 || code === 91) this.#openContainer(code === 91, position);
    else if (code === 116 || code === 102 || code === 110) {
      this.#literal = code === 116 ? "true" : code === 102 ? "false" : "null";
      this.#matched = 1;
      this.#expecting = Expecting.Literal;
    } else {
      this.#part = nextNumberPart(NumberPart.Nothing, code);
      if (this.#part === NumberPart.End) this.#fail(position);
      else {
        this.#number = String.fromCharCode(code);
        this.#expecting = Expecting.Number;
      }
    }
  }

  /** Reads one character of what is neither a string's text nor a number. */
  #readCharacter(code: number, position: number): void {
    if (this.#expecting <= Expecting.Nothing && (code === 32 || code === 10 || code === 13 || code === 9))
      return;
    switch (this.#expecting) {
      case Expecting.ValueOrEnd:
        if (code === 93) this.#closeContainer();
        else this.#beginValue(code, position);
        break;
      case Expecting.Value:
        this.#beginValue(code, position);
        break;
      case Expecting.CommaOrEnd: {
        const { isArray } = this.#value.top!;
        if (code === (isArray ? 93 : 125)) this.#closeContainer();
        else if (code !== 44) this.#fail(position);
        else if (isArray) {
          this.#value.nextElement();
          this.#expecting = Expecting.Value;
        } else this.#expecting = Expecting.Key;
        break;
      }
      case Expecting.KeyOrEnd:
      case Expecting.Key:
        if (code === 34) this.#beginString(true);
        else if (code === 125 && this.#expecting === Expecting.KeyOrEnd) this.#closeContainer();
        else this.#fail(position);
        break;
      case Expecting.Colon:
        if (code === 58) this.#expecting = Expecting.Value;
        else this.#fail(position);
        break;
      case Expecting.Escape:
        this.#readEscape(code, position);
        break;
      case Expecting.Hex: {
        const digit = String.fromCharCode(code);
        if (!/[\da-f]/i.test(digit)) this.#fail(position);
        else if ((this.#hex += digit).length === 4) {
          this.#append(String.fromCharCode(parseInt(this.#hex, 16)));
          this.#expecting = Expecting.String;
        }
        break;
      }
      case Expecting.Literal:
        if (code !== this.#literal.charCodeAt(this.#matched)) this.#fail(position);
        else if (++this.#matched === this.#literal.length) {
          this.#value.put(this.#literal === "null" ? null : this.#literal === "true");
          this.#valueEnded();
        }
        break;
      default:
        this.#fail(position);
    }
  }
}

/**
 * Reads a JSON text that arrives in fragments, cut anywhere, and shows its value so far.
 *
 * Strict JSON, as JSON.parse reads it, but that a raw control character inside a string is read as
 * itself. Each character is looked at once. A read costs the direct children of the containers that are
 * still open, and nothing when nothing came since the last one; closed values keep their reference.
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
  return new FragmentReader(options);
}
