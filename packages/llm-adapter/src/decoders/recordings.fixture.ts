import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { OperatorFunction } from "rxjs";
import type { Delta } from "../delta.js";
import {
  anthropic,
  bedrock,
  cohere,
  gemini,
  geminiInteractions,
  mistral,
  openaiChat,
  openaiResponses,
  type DecoderOptions,
} from "./index.js";

const root = join(__dirname, "../../../../../shared/streams");

/** Any decoder, made for one subscription or more. */
export type MakeDecoder = (options?: DecoderOptions) => OperatorFunction<never, Delta>;

/** A stream as a provider sent it. */
export interface Recording {
  /** Folder and file: `anthropic/anthropic-mcp.1.jsonl`. */
  readonly name: string;
  readonly decoder: MakeDecoder;
  readonly chunks: readonly unknown[];
}

/** What another SDK read out of a recording. */
export interface PeerReading {
  readonly calls?: readonly { id: string; name: string; input: string; providerExecuted?: true }[];
  readonly results?: readonly { id: string }[];
  readonly textLen?: number;
  readonly reasonLen?: number;
  readonly error?: string;
  readonly fail?: string;
  readonly finish?: {
    readonly reason: { readonly unified: string; readonly raw?: string };
    readonly usage?: { readonly in?: number; readonly out?: number };
  };
}

const decoders: Readonly<Record<string, MakeDecoder>> = {
  anthropic,
  "amazon-bedrock": bedrock,
  azure: openaiResponses,
  cohere,
  google: gemini,
  "google-interactions": geminiInteractions,
  mistral,
};

const decoderOf = (folder: string): MakeDecoder =>
  decoders[folder] ?? (folder.endsWith("responses") ? openaiResponses : openaiChat);

/** The recorded streams; none, with a line that says so, where they are absent. */
export function recordings(): Recording[] {
  if (!existsSync(root)) {
    console.log(`No recorded streams in ${root}: their tests are skipped.`);
    return [];
  }
  return readdirSync(root)
    .filter((folder) => !folder.includes("."))
    .flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((file) => file.endsWith(".jsonl"))
        .map((file) => ({
          name: `${folder}/${file}`,
          decoder: decoderOf(folder),
          chunks: readChunks(join(root, folder, file)),
        })),
    );
}

export function peerReadings(): Readonly<Record<string, PeerReading>> {
  if (!existsSync(root)) return {};
  return JSON.parse(readFileSync(join(root, "expected.json"), "utf8")) as Record<string, PeerReading>;
}

/** A line that is no JSON is no chunk: one recording has two, where an SDK's own parser gives up. */
function readChunks(path: string): unknown[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as unknown];
      } catch {
        return [];
      }
    });
}
