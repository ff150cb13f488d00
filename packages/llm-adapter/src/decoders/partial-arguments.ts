/** A value at a path of the arguments, or a piece of a string there. */
export interface PartialArgument {
  /** A JSONPath of names and indices, such as `$.stops[0].city`. */
  readonly path: string;
  readonly value: unknown;
  /** With a string: more of it follows. */
  readonly willContinue?: boolean;
}

/** Writes arguments as JSON text while they come path by path. */
export interface PartialArgumentsWriter {
  /** Gives the text that the argument adds. */
  write(argument: PartialArgument): string;
  /** Gives the text that closes what is open; nothing when no argument came. */
  end(): string;
}

type Token = string | number;

/** A container whose closing bracket has not been written. */
interface Frame {
  readonly token: Token | undefined;
  readonly array: boolean;
  readonly written: Set<Token>;
}

/**
 * Makes JSON text of Vertex's streamed arguments, in the order in which they come.
 *
 * A path that goes back into something closed writes the whole top-level member once more: of two members of
 * one name, JSON readers take the last.
 */
export function createPartialArgumentsWriter(): PartialArgumentsWriter {
  const root = Object.create(null) as Record<string, unknown>;
  let frames: Frame[] = [];
  /** The path of the string that is being written. */
  let openString: string | undefined;

  const closeString = () => {
    const text = openString === undefined ? "" : '"';
    openString = undefined;
    return text;
  };

  const closeTo = (depth: number) => {
    const closed = frames.slice(depth).reverse();
    frames = frames.slice(0, depth);
    return closed.map((frame) => (frame.array ? "]" : "}")).join("");
  };

  const open = (token: Token | undefined, next: Token) => {
    frames.push({ token, array: typeof next === "number", written: new Set() });
    return typeof next === "number" ? "[" : "{";
  };

  /** Writes a member's separator and name, or an element's separator and the nulls that were left out. */
  const begin = (frame: Frame, token: Token) => {
    let text = "";
    if (frame.array) {
      for (let at = frame.written.size; at < Number(token); at++) text += begin(frame, at) + "null";
    }
    text += frame.written.size === 0 ? "" : ",";
    frame.written.add(token);
    return frame.array ? text : `${text}${JSON.stringify(String(token))}:`;
  };

  const writeAgain = (top: Token) => {
    const text = closeTo(1);
    return `${text},${JSON.stringify(String(top))}:${JSON.stringify(root[String(top)])}`;
  };

  return {
    write({ path, value, willContinue }) {
      const tokens = tokensOf(path);
      const [top] = tokens;
      if (top === undefined) return "";
      const goesOn = willContinue === true && typeof value === "string";
      if (openString === path && typeof value === "string") {
        put(root, tokens, value, true);
        return escaped(value) + (goesOn ? "" : closeString());
      }
      put(root, tokens, value, false);
      let text = closeString();
      if (frames.length === 0) text += open(undefined, "");
      let depth = 1;
      while (depth < tokens.length && frames[depth]?.token === tokens[depth - 1]) depth++;
      text += closeTo(depth);
      if (frames[depth - 1]?.written.has(tokens[depth - 1]!)) return text + writeAgain(top);
      for (let at = depth - 1; at < tokens.length; at++) {
        text += begin(frames[at]!, tokens[at]!);
        const next = tokens[at + 1];
        if (next !== undefined) text += open(tokens[at], next);
      }
      if (!goesOn) return text + JSON.stringify(value);
      openString = path;
      return `${text}"${escaped(value)}`;
    },
    end: () => closeString() + closeTo(0),
  };
}

/** The inside of a JSON string. */
function escaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

const step = /\.([^.[\]]+)|\[(\d+)\]|\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/g;

function tokensOf(path: string): Token[] {
  return [...path.matchAll(step)].map(
    ([, name, index, single, double]) =>
      (index === undefined ? undefined : Number(index)) ??
      name ??
      (single ?? double ?? "").replace(/\\(.)/g, "$1"),
  );
}

/** Sets the value at a path of a tree without prototypes, or adds to the string there. */
function put(root: Record<string, unknown>, tokens: readonly Token[], value: unknown, adds: boolean): void {
  let at: Record<Token, unknown> = root;
  for (const [position, token] of tokens.entries()) {
    const next = tokens[position + 1];
    if (next === undefined)
      at[token] = adds ? `${typeof at[token] === "string" ? at[token] : ""}${String(value)}` : value;
    else {
      if (typeof at[token] !== "object" || at[token] === null) {
        at[token] = typeof next === "number" ? [] : Object.create(null);
      }
      at = at[token] as Record<Token, unknown>;
    }
  }
}
