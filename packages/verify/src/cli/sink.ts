import type { Writable } from "node:stream";

/** Collects text for an output and writes it as fast as the output is read. */
export interface Sink {
  readonly isTerminal: boolean;
  add(text: string): void;
  /** Writes what was collected; done when the output takes more. */
  flush(): Promise<void>;
}

/** Makes a sink for an output such as `process.stdout`. */
export function createSink(output: Writable & { readonly isTTY?: boolean }): Sink {
  let collected = "";
  return {
    isTerminal: Boolean(output.isTTY),
    add(text) {
      collected += text;
    },
    async flush() {
      const text = collected;
      collected = "";
      if (text === "" || output.write(text)) return;
      await new Promise<void>((resolve) => output.once("drain", resolve));
    },
  };
}
