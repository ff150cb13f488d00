import { GrowingString } from "./growing-string.js";
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
   * How many slots the first change after a read copies: an element of an open array is one, a member
   * of an open object counts as eight.
   */
  readonly readCost: number;
}

// What has to come next, in the words of an error.
const VALUE: string = "a value";
const VALUE_OR_END = 'a value or "]"';
const KEY_OR_END = 'a key or "}"';
const KEY = "a key";
const COLON = '":"';
const COMMA_OR_END = "a comma or an end";
const NOTHING = "nothing";
const STRING = "a string's end";
const ESCAPE = "an escape";
const TOKEN = "the rest of a number, true, false or null";
const SHALLOWER = "no deeper value";

const literals: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
const wholeNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?$/;
/** A longer number is looked at when it is whole: at each fragment that would cost the square of its length. */
const LONG = 99;

/** Whether more characters can make a number or a literal of what is none yet. */
const isHopeful = (token: string) =>
  wholeNumber.test(`${token}0`) ||
  wholeNumber.test(token) ||
  Object.keys(literals).some((name) => name.startsWith(token));

/** Where a character stands next; the text's end where it does not. */
function indexOr(text: string, character: string, from: number): number {
  const index = text.indexOf(character, from);
  return index < 0 ? text.length : index;
}

/** What a character after a backslash means, but for the u of a character's number. */
const escapes: Readonly<Record<string, string | undefined>> = {
  '"': '"',
  "/": "/",
  "\\": "\\",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** A container that is open, and the place in it where its latest child stands. */
interface OpenContainer {
  value: unknown[] | Record<string, unknown>;
  readonly isArray: boolean;
  place: string | number;
  cost: number;
}

function assign({ value, place }: OpenContainer, child: unknown): void {
  if (typeof place === "number") (value as unknown[])[place] = child;
  else if (place === "__proto__")
    Object.defineProperty(value, place, {
      value: child,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  else (value as Record<string, unknown>)[place] = child;
}

// A class, since methods on a prototype run a third faster here than closures made for each accumulator.
class FragmentReader implements JsonAccumulator {
  readonly #maxDepth: number;
  readonly #earlyNumbers: boolean;
  #fragments: string[] = [];
  #raw = "";
  #length = 0;
  error: JsonTextError | undefined = undefined;

  #root: unknown = undefined;
  readonly #open: OpenContainer[] = [];
  #top: OpenContainer | undefined = undefined;
  readCost = 0;
  /** The open containers are part of a value that was read: they are copied before the next change. */
  #shown = false;

  #expecting = VALUE;
  readonly #string = new GrowingString();
  #isKey = false;
  /** A value's string has come further than what stands in its place. */
  #pending = false;
  /** Where the fragment's next backslash stands, as far as it is known. */
  #backslash = -1;
  /** The number, literal or escape that is being read. */
  #token = "";

  constructor({ maxDepth = 512, earlyNumbers = false }: JsonAccumulatorOptions) {
    this.#maxDepth = maxDepth;
    this.#earlyNumbers = earlyNumbers;
  }

  push(fragment: string): void {
    this.#fragments.push(fragment);
    if (this.error?.code === "json-incomplete") this.error = undefined;
    this.#backslash = -1;
    for (let i = 0; i < fragment.length && this.error === undefined;) {
      if (this.#expecting === STRING) i = this.#readString(fragment, i);
      else if (this.#expecting === TOKEN) i = this.#readToken(fragment, i);
      else if (this.#takes(fragment.charCodeAt(i))) i++;
      else this.#fail(i);
    }
    this.#length += fragment.length;
  }

  get value(): unknown {
    if (this.#pending) {
      this.#assign(this.#string.read());
      this.#pending = false;
    } else if (this.#earlyNumbers && this.#expecting === TOKEN) {
      const whole = this.#token.replace(/\D+$/, "");
      if (whole !== "") this.#assign(Number(whole));
    }
    this.#shown = true;
    return this.#root;
  }

  get raw(): string {
    if (this.#fragments.length > 0) {
      this.#raw += this.#fragments.length === 1 ? this.#fragments[0]! : this.#fragments.join("");
      this.#fragments = [];
    }
    return this.#raw;
  }

  get complete(): boolean {
    if (this.error !== undefined || this.#top !== undefined) return false;
    return this.#expecting === NOTHING || (this.#expecting === TOKEN && wholeNumber.test(this.#token));
  }

  end(): JsonTextError | undefined {
    if (this.complete) {
      if (this.#expecting === TOKEN) this.#assign(Number(this.#token));
    } else if (this.error === undefined) {
      let missing = this.#expecting;
      let closers = "";
      for (const { isArray } of this.#open) closers = (isArray ? "]" : "}") + closers;
      if (closers !== "") missing += ` and then ${closers}`;
      const message = `The JSON text stops at position ${this.#length}: missing ${missing}.`;
      this.error = new JsonTextError("json-incomplete", this.#length, message);
    }
    return this.error;
  }

  /** Gives up at a position of the current fragment. */
  #fail(index: number): void {
    const position = this.#length + index;
    const message = `No JSON at position ${position}: expected ${this.#expecting}.`;
    const code = this.#expecting === SHALLOWER ? "json-too-deep" : "json-invalid";
    this.error = new JsonTextError(code, position, message);
  }

  #expect(what: string): true {
    this.#expecting = what;
    return true;
  }

  /** Puts a value at the current place, instead of what stands there. */
  #assign(value: unknown): void {
    if (this.#top === undefined) this.#root = value;
    else {
      if (this.#shown) this.#renew();
      assign(this.#top, value);
    }
  }

  /** Copies each open container, so that the next change leaves alone what was read. */
  #renew(): void {
    let parent: OpenContainer | undefined;
    for (const container of this.#open) {
      container.value = container.isArray ? (container.value as unknown[]).slice() : { ...container.value };
      if (parent === undefined) this.#root = container.value;
      else assign(parent, container.value);
      parent = container;
    }
    this.#shown = false;
  }

  #moveTo(place: string | number, cost: number): void {
    const top = this.#top!;
    top.place = place;
    top.cost += cost;
    this.readCost += cost;
  }

  #valueEnded(): true {
    return this.#expect(this.#top === undefined ? NOTHING : COMMA_OR_END);
  }

  #append(piece: string): void {
    if (piece === "") return;
    this.#string.append(piece);
    this.#pending = !this.#isKey;
  }

  /** Reads a string up to its end, a cut escape or the fragment's end; gives the position after it. */
  #readString(fragment: string, start: number): number {
    let end = indexOr(fragment, '"', start);
    let stop = this.#nextBackslash(fragment, start, end);
    // Pieces of one fragment are joined before they join the string, whose rope then grows by one node.
    let piece = fragment.slice(start, stop);
    while (stop < end) {
      const from = stop + 2;
      const meant = escapes[fragment[stop + 1]!];
      if (meant === undefined) {
        this.#append(piece);
        this.#token = "";
        this.#expecting = ESCAPE;
        return stop + 1;
      }
      if (end < from) end = indexOr(fragment, '"', from);
      stop = this.#nextBackslash(fragment, from, end);
      piece += meant + fragment.slice(from, stop);
    }
    this.#append(piece);
    if (end < fragment.length) this.#endString();
    return end + 1;
  }

  #nextBackslash(fragment: string, from: number, end: number): number {
    if (this.#backslash < from) this.#backslash = indexOr(fragment, "\\", from);
    return Math.min(this.#backslash, end);
  }

  #endString(): void {
    const isNewer = this.#pending || this.#string.isCut;
    const whole = this.#string.take();
    if (this.#isKey) {
      this.#moveTo(whole, 8);
      this.#expecting = COLON;
    } else {
      if (isNewer) this.#assign(whole);
      this.#pending = false;
      this.#valueEnded();
    }
  }

  /** Reads a number or a literal up to what cannot belong to one; gives the position of that. */
  #readToken(fragment: string, start: number): number {
    let i = start;
    for (; i < fragment.length; i++) {
      const code = fragment.charCodeAt(i);
      if (code <= 32 || code === 44 || code === 93 || code === 125) break;
    }
    const token = (this.#token += fragment.slice(start, i));
    const isCut = i === fragment.length;
    if (Object.hasOwn(literals, token)) {
      this.#assign(literals[token]);
      this.#valueEnded();
    } else if (!isCut && wholeNumber.test(token)) {
      this.#assign(Number(token));
      this.#valueEnded();
    } else if (!isCut || (token.length < LONG && !isHopeful(token))) this.#fail(i - token.length);
    return i;
  }

  /** Reads one character of what is neither a string's text nor a token, if it can stand there. */
  #takes(code: number): boolean {
    const expecting = this.#expecting;
    if (expecting === ESCAPE) {
      const token = (this.#token += String.fromCharCode(code));
      const meant =
        escapes[token] ??
        (/^u[\da-fA-F]{4}$/.test(token) ? String.fromCharCode(parseInt(token.slice(1), 16)) : "");
      if (meant === "") return /^u[\da-fA-F]{0,3}$/.test(token);
      this.#append(meant);
      return this.#expect(STRING);
    }
    if (code === 32 || code === 10 || code === 13 || code === 9) return true;
    const top = this.#top;
    if ((code === 93 || code === 125) && this.#closes(code)) return true;
    switch (expecting) {
      case COMMA_OR_END:
        if (code !== 44) return false;
        if (!top!.isArray) return this.#expect(KEY);
        this.#moveTo((top!.place as number) + 1, 1);
        return this.#expect(VALUE);
      case KEY_OR_END:
      case KEY:
        return code === 34 && this.#beginString(true);
      case COLON:
        return code === 58 && this.#expect(VALUE);
      case NOTHING:
        return false;
      default:
        return this.#beginsValue(code);
    }
  }

  /** Closes the innermost container, if it may end here with this bracket. */
  #closes(code: number): boolean {
    const isArray = code === 93;
    const expecting = this.#expecting;
    if (this.#top?.isArray !== isArray) return false;
    if (expecting !== COMMA_OR_END && expecting !== (isArray ? VALUE_OR_END : KEY_OR_END)) return false;
    this.readCost -= this.#open.pop()!.cost;
    this.#top = this.#open[this.#open.length - 1];
    return this.#valueEnded();
  }

  #beginString(isKey: boolean): true {
    this.#isKey = isKey;
    this.#pending = !isKey;
    return this.#expect(STRING);
  }

  #beginsValue(code: number): boolean {
    if (code === 34) return this.#beginString(false);
    if (code === 123 || code === 91) {
      const isArray = code === 91;
      if (this.#open.length === this.#maxDepth) {
        this.#expecting = SHALLOWER;
        return false;
      }
      const value = isArray ? [] : {};
      this.#assign(value);
      this.#top = { value, isArray, place: isArray ? 0 : "", cost: 0 };
      this.#open.push(this.#top);
      if (isArray) this.#moveTo(0, 1);
      return this.#expect(isArray ? VALUE_OR_END : KEY_OR_END);
    }
    this.#token = String.fromCharCode(code);
    return "-0123456789tfn".includes(this.#token) && this.#expect(TOKEN);
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
