/** Cuts bytes that come in pieces into lines. */
export interface LineSplitter {
  /** Takes a piece; gives the lines that are complete with it, without their ends. */
  push(piece: Uint8Array): string[];
  /** Says that no more comes; gives the last line when it is not empty. */
  end(): string[];
}

/** Makes a splitter of UTF-8 text: lines end with LF or CRLF, a byte order mark is left out. */
export function createLineSplitter(): LineSplitter {
  const decoder = new TextDecoder();
  /** The pieces of the line that is not complete; joined once, so a long line costs its length. */
  let unfinished: string[] = [];

  function cut(text: string): string[] {
    const parts = text.split("\n");
    unfinished.push(parts[0]!);
    if (parts.length === 1) return [];
    const lines = [unfinished.join(""), ...parts.slice(1, -1)];
    unfinished = [parts.at(-1)!];
    return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  return {
    push: (piece) => cut(decoder.decode(piece, { stream: true })),
    end() {
      const lines = cut(`${decoder.decode()}\n`);
      return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
    },
  };
}
