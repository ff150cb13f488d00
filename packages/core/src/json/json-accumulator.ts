import { JsonTextError, type JsonTextErrorCode } from "./json-text-error.js";

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
const TOKEN = "a number, true, false or null";
const NOTHING_DEEPER = "nothing deeper";

const whole = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?)$/;
/** A longer number is looked at when it has ended: at each fragment that would cost the square of its length. */
const LONG = 99;

/** Whether more characters can make a number or a literal of what may be none yet. */
const isHopeful = (token: string) =>
  whole.test(token) || whole.test(`${token}0`) || " true false null".includes(` ${token}`);

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

// A class: its methods are compiled once and soon, where closures made for each accumulator start over.
class FragmentReader implements JsonAccumulator {
  readonly #maxDepth: number;
  readonly #earlyNumbers: boolean;
  #raw = "";
  #fragments: string[] = [];
  #length = 0;
  error: JsonTextError | undefined = undefined;

  #root: unknown = undefined;
  readonly #open: OpenContainer[] = [];
  #top: OpenContainer | undefined = undefined;
  /** The open containers are part of a value that was read: they are copied before the next change. */
  #shown = false;

  #expecting = VALUE;
  #isKey = false;
  /** The string that is being read; a high surrogate at its end stands apart until its other half has come. */
  #text = "";
  #half = "";
  /** How long the string may get before its pieces are joined. */
  #joinAt = 3e5;
  /** A value's string has come further than what stands in its place. */
  #pending = false;
  /** The number, literal or escape that is being read. */
  #token = "";

  constructor({ maxDepth = 512, earlyNumbers = false }: JsonAccumulatorOptions) {
    this.#maxDepth = maxDepth;
    this.#earlyNumbers = earlyNumbers;
  }

  push(fragment: string): void {
    this.#fragments.push(fragment);
    if (this.error?.code === "incomplete") this.error = undefined;
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
      this.#put(this.#text);
      this.#pending = false;
    } else if (this.#earlyNumbers && this.#expecting === TOKEN) {
      const digits = this.#token.replace(/\D+$/, "");
      if (digits !== "") this.#put(Number(digits));
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
    return this.#expecting === NOTHING || (this.#expecting === TOKEN && whole.test(this.#token));
  }

  get readCost(): number {
    return this.#open.reduce((sum, { cost }) => sum + cost, 0);
  }

  end(): JsonTextError | undefined {
    if (this.complete) {
      if (this.#expecting === TOKEN) this.#put(JSON.parse(this.#token));
    } else if (this.error === undefined) {
      let closers = "";
      for (const { isArray } of this.#open) closers = (isArray ? "]" : "}") + closers;
      this.#fail(0, "incomplete", closers && ` and then ${closers}`);
    }
    return this.error;
  }

  /** Gives up at a position of the current fragment. */
  #fail(index: number, code: JsonTextErrorCode = "invalid", rest = ""): void {
    const position = this.#length + index;
    const what = code === "incomplete" ? "The JSON stops" : "No JSON";
    const message = `${what} at position ${position}: expected ${this.#expecting}${rest}.`;
    this.error = new JsonTextError(code, position, message);
  }

  #expect(what: string): true {
    this.#expecting = what;
    return true;
  }

  /** Puts a value at the current place, instead of what stands there. */
  #put(value: unknown): void {
    if (this.#shown) {
      let parent: OpenContainer | undefined;
      for (const container of this.#open) {
        container.value = container.isArray ? (container.value as unknown[]).slice() : { ...container.value };
        if (parent === undefined) this.#root = container.value;
        else assign(parent, container.value);
        parent = container;
      }
      this.#shown = false;
    }
    if (this.#top === undefined) this.#root = value;
    else assign(this.#top, value);
  }

  #valueEnded(): true {
    return this.#expect(this.#top === undefined ? NOTHING : COMMA_OR_END);
  }

  #endValue(value: unknown): void {
    this.#put(value);
    this.#valueEnded();
  }

  #moveTo(place: string | number, cost: number): void {
    this.#top!.place = place;
    this.#top!.cost += cost;
  }

  #append(piece: string): true {
    if (piece !== "") {
      const text = this.#half + piece;
      const last = piece.charCodeAt(piece.length - 1);
      this.#half = last >= 0xd800 && last < 0xdc00 ? piece.slice(-1) : "";
      this.#text += this.#half === "" ? text : text.slice(0, -1);
      this.#pending = !this.#isKey;
      if (this.#text.length > this.#joinAt) {
        // Looking at a character joins the pieces: to collect a million unjoined ones costs more.
        this.#text.charCodeAt(0);
        this.#joinAt = this.#text.length * 1.5;
      }
    }
    return this.#expect(STRING);
  }

  /** Reads a string up to its end, a cut escape or the fragment's end; gives the position after it. */
  #readString(fragment: string, start: number): number {
    // Pieces of one fragment are joined before they join the string, whose rope then grows by one node.
    let piece = "";
    for (let from = start; ;) {
      let code = 0;
      let i = from;
      for (; i < fragment.length; i++) {
        code = fragment.charCodeAt(i);
        if (code === 34 || code === 92) break;
      }
      piece += fragment.slice(from, i);
      const isCut = i === fragment.length;
      const meant = isCut || code === 34 ? undefined : escapes[fragment[i + 1]!];
      if (meant === undefined) {
        this.#append(piece);
        if (code === 34) this.#endString();
        else if (!isCut) {
          this.#token = "";
          this.#expecting = ESCAPE;
        }
        return i + 1;
      }
      piece += meant;
      from = i + 2;
    }
  }

  #endString(): void {
    const whole = this.#text + this.#half;
    if (this.#isKey) {
      this.#moveTo(whole, 8);
      this.#expecting = COLON;
    } else {
      if (this.#pending || this.#half !== "") this.#put(whole);
      this.#pending = false;
      this.#valueEnded();
    }
    this.#text = this.#half = "";
  }

  /** Reads a number or a literal up to what cannot belong to one; gives the position of that. */
  #readToken(fragment: string, start: number): number {
    let i = start;
    for (; i < fragment.length; i++) {
      const code = fragment.charCodeAt(i);
      if (code <= 32 || code === 44 || code === 93 || code === 125) break;
    }
    this.#token += fragment.slice(start, i);
    const isCut = i === fragment.length;
    if (isCut && this.#token.length > LONG) return i;
    // A literal is whole at once, a number when something else follows.
    if (whole.test(this.#token) && (!isCut || this.#token >= "a")) this.#endValue(JSON.parse(this.#token));
    else if (!isCut || !isHopeful(this.#token)) this.#fail(i - this.#token.length);
    return i;
  }

  /** Reads one character of what is neither a string's text nor a token, if it can stand there. */
  #takes(code: number): boolean {
    if (this.#expecting === ESCAPE) {
      const token = (this.#token += String.fromCharCode(code));
      const isHex = /^u[\da-fA-F]{0,4}$/.test(token);
      if (isHex && token.length < 5) return true;
      const meant = isHex ? String.fromCharCode(parseInt(token.slice(1), 16)) : escapes[token];
      return meant !== undefined && this.#append(meant);
    }
    if (code === 32 || code === 10 || code === 13 || code === 9) return true;
    const isArray = this.#top?.isArray;
    if (this.#expecting === (isArray ? VALUE_OR_END : KEY_OR_END) || this.#expecting === COMMA_OR_END) {
      if (code === (isArray ? 93 : 125)) {
        this.#open.pop();
        this.#top = this.#open[this.#open.length - 1];
        return this.#valueEnded();
      }
    }
    switch (this.#expecting) {
      case COMMA_OR_END:
        if (code !== 44) return false;
        if (!isArray) return this.#expect(KEY);
        this.#moveTo((this.#top!.place as number) + 1, 1);
        return this.#expect(VALUE);
      case KEY_OR_END:
      case KEY:
        return code === 34 && this.#beginString(true);
      case COLON:
        return code === 58 && this.#expect(VALUE);
      case NOTHING:
        return false;
      default:
        if (code === 34) return this.#beginString(false);
        if (code === 123 || code === 91) return this.#beginContainer(code === 91);
        this.#token = String.fromCharCode(code);
        return "-0123456789tfn".includes(this.#token) && this.#expect(TOKEN);
    }
  }

  #beginString(asKey: boolean): true {
    this.#isKey = asKey;
    this.#pending = !asKey;
    return this.#expect(STRING);
  }

  #beginContainer(isArray: boolean): boolean {
    if (this.#open.length === this.#maxDepth) {
      this.#expecting = NOTHING_DEEPER;
      return false;
    }
    const value = isArray ? [] : {};
    this.#put(value);
    this.#top = { value, isArray, place: isArray ? 0 : "", cost: isArray ? 1 : 0 };
    this.#open.push(this.#top);
    return this.#expect(isArray ? VALUE_OR_END : KEY_OR_END);
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
