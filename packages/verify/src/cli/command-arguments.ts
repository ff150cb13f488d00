import { parseArgs } from "node:util";
import type { Profile } from "../options.js";

/** What the command was asked to do. */
export interface CommandArguments {
  /** Path of the input; `-` is standard input. */
  readonly file: string;
  readonly json: boolean;
  readonly profile: Profile;
  readonly repair: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

/** The text of `--help`. */
export const help = `Usage: agrx-verify [options] [file|-]

Checks the order of an AG-UI event stream: one JSON event a line (JSONL), or server-sent events (SSE).
Reads standard input without a file or with "-", and reports while the stream is open.

  --profile <name>  whose duties: "consumer" (default), what a client must refuse,
                    or "producer", what an agent must not send
  --json            one JSON object a finding: line, severity, rule, type, id, index, message
  --repair          writes the mended stream to standard output, in the format of the input,
                    and the findings to standard error
  --version         prints the version
  --help            prints this

Exit code: 0 legal (warnings or none), 1 illegal (with --repair: not all could be mended),
2 the input or a part of it cannot be read.

  agrx-verify run.jsonl
  curl -sN -H 'content-type: application/json' -d @input.json https://agent.example/run | agrx-verify -
`;

/** Reads the command line; throws an error whose message is for the user when it makes no sense. */
export function readArguments(argv: readonly string[]): CommandArguments {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      profile: { type: "string", default: "consumer" },
      repair: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      version: { type: "boolean", short: "v", default: false },
    },
  });
  const { profile, ...flags } = values;
  if (profile !== "consumer" && profile !== "producer") {
    throw new Error(`There is no profile "${profile}": it is "consumer" or "producer".`);
  }
  const [file = "-", ...others] = positionals;
  if (others.length > 0) throw new Error(`Takes one file, got ${positionals.length}.`);
  return { ...flags, profile, file };
}
