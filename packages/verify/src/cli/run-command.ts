import { createReadStream } from "node:fs";
import type { Readable, Writable } from "node:stream";
import { createStreamCheck } from "./check-stream.js";
import { help, readArguments, type CommandArguments } from "./command-arguments.js";
import { createEventReader, type Entry, type InputFormat } from "./event-reader.js";
import { createFindingText } from "./finding-text.js";
import { createLineSplitter } from "./line-splitter.js";
import { createSink } from "./sink.js";

/** What the command works with besides its arguments. */
export interface Surroundings {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The package's version. */
  readonly version: string;
}

/** How the command ends: see the text of `--help`. */
export const exitCodes = { legal: 0, illegal: 1, unreadable: 2 } as const;

/** Runs the command; gives its exit code. */
export async function runCommand(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdin, stdout, stderr, version } = surroundings;
  let asked: CommandArguments;
  try {
    asked = readArguments(argv);
  } catch (error) {
    stderr.write(`${(error as Error).message}\nSee agrx-verify --help.\n`);
    return exitCodes.unreadable;
  }
  if (asked.help || asked.version) {
    stdout.write(asked.help ? help : `${version}\n`);
    return exitCodes.legal;
  }
  if (asked.file === "-" && stdin.isTTY) {
    stderr.write(help);
    return exitCodes.unreadable;
  }
  try {
    const input = asked.file === "-" ? stdin : createReadStream(asked.file);
    return await check(input, asked, surroundings);
  } catch (error) {
    stderr.write(
      `agrx-verify: ${asked.file === "-" ? "standard input" : asked.file}: ${(error as Error).message}\n`,
    );
    return exitCodes.unreadable;
  }
}

async function check(input: Readable, asked: CommandArguments, surroundings: Surroundings): Promise<number> {
  const { stdout, stderr, env } = surroundings;
  /** Where findings go: the output itself is the mended stream's. */
  const told = createSink(asked.repair ? stderr : stdout);
  const kept = createSink(stdout);
  const text = createFindingText(told.isTerminal && !env["NO_COLOR"]);
  const splitter = createLineSplitter();
  const reader = createEventReader();
  const tally = { error: 0, warning: 0, unreadable: 0, mended: 0 };
  const stream = createStreamCheck({
    profile: asked.profile,
    report(finding) {
      tally[finding.severity]++;
      told.add(asked.json ? `${JSON.stringify(finding)}\n` : text.finding(finding));
    },
    mended: asked.repair ? (event) => kept.add(frame(event, reader.format)) : undefined,
  });
  const observe = (entries: Entry[]) => entries.forEach((entry) => stream.observe(entry));

  for await (const piece of input as AsyncIterable<Uint8Array>) {
    for (const line of splitter.push(piece)) observe(reader.push(line));
    await Promise.all([told.flush(), kept.flush()]);
  }
  for (const line of splitter.end()) observe(reader.push(line));
  observe(reader.end());
  stream.finish();
  if (!asked.json) told.add(text.summary({ ...tally, events: stream.count }));
  await Promise.all([told.flush(), kept.flush()]);
  if (tally.unreadable > 0) return exitCodes.unreadable;
  return tally.error > 0 ? exitCodes.illegal : exitCodes.legal;
}

function frame(event: unknown, format: InputFormat | undefined): string {
  const json = JSON.stringify(event);
  return format === "SSE" ? `data: ${json}\n\n` : `${json}\n`;
}
