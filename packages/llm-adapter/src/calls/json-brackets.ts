/**
 * How far a text has come as one JSON object or array, by its brackets alone: `empty` is nothing but white
 * space, `other` begins like neither.
 */
export type JsonShape = "empty" | "open" | "closed" | "other";

/** Counts the brackets of a growing text. */
export interface JsonBrackets {
  readonly shape: JsonShape;
  /** Reads on; gives the position behind the bracket that closes the text, or the fragment's length. */
  read(fragment: string): number;
}

const quote = 0x22;
const backslash = 0x5c;

/**
 * Makes a reader that knows when a JSON object or array is closed, without parsing it.
 *
 * A bracket of either kind closes either kind: whether the text is JSON is asked once, at its end. Strings are
 * skipped from quote to quote, which halves the time.
 */
export function createJsonBrackets(): JsonBrackets {
  let shape: JsonShape = "empty";
  let depth = 0;
  let inString = false;
  /** Inside a string, the last character read was a backslash that escapes the next. */
  let escaped = false;

  /** Reads on inside a string; gives the position behind its closing quote, or the fragment's length. */
  const skipString = (fragment: string, from: number): number => {
    let at = from;
    while (at < fragment.length) {
      const found = fragment.indexOf('"', at);
      const end = found < 0 ? fragment.length : found;
      let slash = end;
      while (slash > at && fragment.charCodeAt(slash - 1) === backslash) slash--;
      const slashes = end - slash + (escaped && slash === at ? 1 : 0);
      escaped = slashes % 2 === 1;
      if (found < 0) return end;
      at = found + 1;
      if (!escaped) {
        inString = false;
        return at;
      }
      escaped = false;
    }
    return at;
  };

  return {
    get shape() {
      return shape;
    },
    read(fragment) {
      if (shape === "empty") {
        const first = fragment.search(/\S/);
        if (first >= 0) shape = fragment[first] === "{" || fragment[first] === "[" ? "open" : "other";
      }
      const { length } = fragment;
      if (shape !== "open") return length;
      let at = 0;
      while (at < length) {
        if (inString) {
          at = skipString(fragment, at);
          continue;
        }
        const code = fragment.charCodeAt(at++);
        if (code === quote) inString = true;
        // { and [ are 0x7b and 0x5b, } and ] are 0x7d and 0x5d.
        else if (code === 0x7b || code === 0x5b) depth++;
        else if ((code === 0x7d || code === 0x5d) && --depth === 0) {
          shape = "closed";
          return at;
        }
      }
      return length;
    },
  };
}
