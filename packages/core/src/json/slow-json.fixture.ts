/** What of a JSON text's prefix is certain, by the simplest means: the whole prefix read again from its start. */
export type SlowReading = { value: unknown } | { invalid: true };

class Stop extends Error {}
class Bad extends Error {}

/**
 * Reads a prefix of a JSON text by recursive descent. `ended` says that nothing follows, which makes a
 * number at the end certain.
 */
export function readSlowly(text: string, ended = false): SlowReading {
  let position = 0;
  let root: unknown;
  const peek = () => {
    if (position >= text.length) throw new Stop();
    return text[position]!;
  };
  const space = () => {
    while (position < text.length && " \n\r\t".includes(text[position]!)) position++;
  };
  const define = (container: object, key: string | number, value: unknown) =>
    Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });

  function string(show: (soFar: string) => void): string {
    let result = "";
    const showWhole = () => show(/[\ud800-\udbff]$/.test(result) ? result.slice(0, -1) : result);
    position++;
    showWhole();
    for (;;) {
      const character = peek();
      position++;
      if (character === '"') break;
      if (character === "\\") {
        const escaped = peek();
        position++;
        if (escaped === "u") {
          const digits = text.slice(position, position + 4);
          if (!/^[0-9a-fA-F]*$/.test(digits)) throw new Bad();
          if (digits.length < 4) throw new Stop();
          position += 4;
          result += String.fromCharCode(Number.parseInt(digits, 16));
        } else if ('"\\/bfnrt'.includes(escaped)) result += JSON.parse(`"\\${escaped}"`) as string;
        else throw new Bad();
      } else result += character;
      showWhole();
    }
    show(result);
    return result;
  }

  function value(show: (soFar: unknown) => void): void {
    space();
    const first = peek();
    if (first === '"') string(show);
    else if (first === "{") {
      const object = {};
      show(object);
      position++;
      space();
      if (peek() === "}") {
        position++;
        return;
      }
      for (;;) {
        space();
        if (peek() !== '"') throw new Bad();
        const key = string(() => undefined);
        space();
        if (peek() !== ":") throw new Bad();
        position++;
        value((soFar) => define(object, key, soFar));
        space();
        const next = peek();
        position++;
        if (next === "}") return;
        if (next !== ",") throw new Bad();
      }
    } else if (first === "[") {
      const array: unknown[] = [];
      show(array);
      position++;
      space();
      if (peek() === "]") {
        position++;
        return;
      }
      for (let index = 0; ; index++) {
        value((soFar) => define(array, index, soFar));
        space();
        const next = peek();
        position++;
        if (next === "]") return;
        if (next !== ",") throw new Bad();
      }
    } else if ("tfn".includes(first)) {
      const literal = { t: "true", f: "false", n: "null" }[first as "t" | "f" | "n"];
      const rest = text.slice(position, position + literal.length);
      if (!literal.startsWith(rest)) throw new Bad();
      if (rest !== literal) throw new Stop();
      position += literal.length;
      show(JSON.parse(literal));
    } else {
      const digits = /^[-+.eE0-9]*/.exec(text.slice(position))![0];
      const whole = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/.exec(digits)?.[0] ?? "";
      const atEnd = position + digits.length === text.length;
      const canGrow = /^-?(?:0|[1-9]\d*)?(?:(?<=\d)\.\d*)?(?:(?<=\d)[eE](?:[+-]?\d*))?$/.test(digits);
      if (digits === "" || !(atEnd ? canGrow : whole === digits)) throw new Bad();
      if (atEnd && !(ended && whole === digits)) throw new Stop();
      position += digits.length;
      show(Number(digits));
    }
  }

  try {
    value((soFar) => (root = soFar));
    space();
    if (position < text.length) throw new Bad();
  } catch (error) {
    if (error instanceof Bad) return { invalid: true };
    if (!(error instanceof Stop)) throw error;
  }
  return { value: root };
}
