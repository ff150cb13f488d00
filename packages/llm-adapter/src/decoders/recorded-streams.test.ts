import { events, type AGUIEvent } from "@agrx/core";
import { verify } from "@agrx/verify";
import fc from "fast-check";
import { concat, from, of } from "rxjs";
import type { FinishReason } from "../delta.js";
import { isProviderError } from "../provider-error.js";
import { toChunks } from "../to-chunks.js";
import { toEvents } from "../to-events.js";
import { decode, type Decoded } from "./decode.fixture.js";
import { peerReadings, recordings, type PeerReading, type Recording } from "./recordings.fixture.js";

/** What is right where the peer failed, has no reading, or reads in a way of its own. */
interface OwnReading {
  readonly why: string;
  /** Name, arguments and status of each call that is not the provider's own. */
  readonly calls?: readonly (readonly [name: string, args: string, status?: string])[];
  readonly textLen?: number;
  readonly reasonLen?: number;
  readonly finish?: FinishReason;
  readonly usage?: { readonly in: number; readonly out: number };
  /** Ids of the calls that the provider ran. */
  readonly hosted?: readonly string[];
  readonly error?: string;
}

const weather = (city: string) => `{"location":"${city}"}`;
const own: Readonly<Record<string, OwnReading>> = {
  "amazon-bedrock/amazon-bedrock-json-only-text-first.1.jsonl": {
    why: "no peer's reading; a text block, then a call",
    calls: [["json", '{"name":"John"}']],
    textLen: 18,
    reasonLen: 0,
  },
  "amazon-bedrock/amazon-bedrock-json-tool-text-then-weather-then-json.1.jsonl": {
    why: "no peer's reading; two calls of one name, kept apart by their blocks",
    calls: [
      ["weather", weather("San Francisco")],
      ["weather", weather("London")],
    ],
    textLen: 53,
    reasonLen: 0,
  },
  "amazon-bedrock/amazon-bedrock-json-tool.2.jsonl": {
    why: "no peer's reading",
    calls: [["json", '{"value":"test"}']],
    textLen: 34,
    reasonLen: 0,
  },
  "amazon-bedrock/amazon-bedrock-json-tool.3.jsonl": {
    why: "no peer's reading",
    calls: [["json", '{"result":42}']],
    textLen: 47,
    reasonLen: 0,
  },
  "amazon-bedrock/amazon-bedrock-reasoning.jsonl": {
    why: "no peer's reading; reasoning, its signature, then text",
    calls: [],
    textLen: 63,
    reasonLen: 116,
  },
  "amazon-bedrock/amazon-bedrock-tool-no-args.jsonl": {
    why: "no peer's reading; no input came, and the block ended: {}",
    calls: [["updateIssueList", "{}"]],
    textLen: 35,
    reasonLen: 0,
  },
  "google-interactions/basic.jsonl": { why: "no peer's reading", calls: [], textLen: 91, reasonLen: 0 },
  "google-interactions/multi-turn-stateless-turn2.jsonl": {
    why: "no peer's reading",
    calls: [],
    textLen: 107,
    reasonLen: 0,
  },
  "google-interactions/tool-call-step1.jsonl": {
    why: "no peer's reading",
    calls: [["getWeather", weather("San Francisco")]],
    textLen: 0,
    reasonLen: 0,
  },
  "google-interactions/tool-call-step2.jsonl": {
    why: "no peer's reading",
    calls: [],
    textLen: 89,
    reasonLen: 0,
  },
  "anthropic/spliced-message-start.jsonl": {
    why: "the peer gives up at the second message_start: the first call was cut, the second is whole",
    calls: [
      ["test-tool", '{"value":"Spark', "incomplete"],
      ["test-tool", '{"value":"Sparkle Day"}'],
    ],
    textLen: 0,
    reasonLen: 42,
    finish: "tool-calls",
    error: "incomplete-tool-call",
  },
  "openai-responses/github-copilot-id-rotation.1.jsonl": {
    why: "the peer joins by item ids, which change with each event: output_index joins",
    calls: [],
    textLen: 138,
    reasonLen: 34,
    finish: "stop",
    usage: { in: 19, out: 105 },
  },
  "openai-responses/parallel-tool-call-wrapper.1.jsonl": {
    why: "the lines of response.created and response.completed lack a bracket and are no chunks: the call's own marker ends it, no finish came",
    calls: [
      [
        "parallel",
        '{"tool_uses":[{"recipient_name":"functions.weather","parameters":{"location":"San Francisco"}},{"recipient_name":"functions.cityAttractions","parameters":{"city":"Rome"}}]}',
      ],
    ],
    finish: "tool-calls",
    usage: { in: Number.NaN, out: Number.NaN },
  },
  "xai-responses/xai-image-generation-tool.1.jsonl": {
    why: "the peer's validation refuses response.completed",
    calls: [],
    textLen: 69,
    reasonLen: 0,
    finish: "stop",
    usage: { in: 100, out: 50 },
    hosted: ["ig_00000000-0000-4000-8000-000000000002_call-00000000-0000-4000-8000-00000000000b-0"],
  },
  "openai-responses/openai-client-tool-search.1.jsonl": {
    why: "the peer wraps the input; the client is to answer the search, so the answer asks for a tool",
    calls: [
      [
        "tool_search",
        '{"goal":"Find a tool that can provide current weather information for San Francisco."}',
      ],
    ],
    finish: "tool-calls",
  },
  "azure/azure-reasoning-encrypted-content.1.jsonl": {
    why: "the recording holds four answers, and the peer remembers the calls of all; the last asks for no tool",
    finish: "stop",
  },
  "openai-responses/openai-custom-tool.1.jsonl": {
    why: "the peer sends a custom tool's input as a JSON string; it is free text",
    calls: [["write_sql", "SELECT * FROM users WHERE age > 25"]],
  },
  "openai-responses/openai-shell-skills.1.jsonl": {
    why: "the provider ran both shell calls: their outputs are in the stream",
    calls: [],
    hosted: ["call_ckIythV1s1RcnbGV4F34THGN", "call_Ud8yNtRknjWh2OA6COEutgOK"],
  },
  "openai-responses/openai-mcp-tool-approval.3.jsonl": {
    why: "a request for approval is no call yet: a custom delta",
    calls: [],
    hosted: [],
  },
  "cohere/cohere-tool-call.jsonl": {
    why: "the peer drops the tool plan, which is reasoning",
    reasonLen: 131,
  },
  "open-responses-responses/lmstudio-tool-call.1.jsonl": {
    why: "the peer drops reasoning_text",
    reasonLen: 242,
  },
  "openai-compatible-chat/xai-text.jsonl": {
    why: "completion_tokens leaves reasoning out here, as total_tokens shows; output tokens are a total",
    usage: { in: 12, out: 342 },
  },
};

interface Right {
  readonly calls: readonly (readonly [string, string, string])[];
  readonly hosted: readonly string[];
  readonly textLen: number | undefined;
  readonly reasonLen: number | undefined;
  readonly finish: string | undefined;
  readonly usage: { readonly in?: number; readonly out?: number } | undefined;
}

function rightReading(name: string, peer: PeerReading = {}): Right {
  const mine: Partial<OwnReading> = own[name] ?? {};
  const peerCalls = (peer.calls ?? [])
    .filter((call) => !call.providerExecuted)
    .map(({ name: tool, input }) => [tool, input] as const);
  return {
    calls: (mine.calls ?? peerCalls).map(
      ([tool, args, status = "complete"]) => [tool, args, status] as const,
    ),
    hosted: mine.hosted ?? (peer.calls ?? []).filter((call) => call.providerExecuted).map(({ id }) => id),
    textLen: mine.textLen ?? peer.textLen,
    reasonLen: mine.reasonLen ?? peer.reasonLen,
    finish: mine.finish ?? peer.finish?.reason.unified,
    usage: mine.usage ?? peer.finish?.usage,
  };
}

const all = recordings();
const peers = peerReadings();
const sameJson = (text: string) => {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
};

/** The events of chunks, inside a run that has started, as far as they are legal. */
function eventsOf({ decoder, chunks }: Pick<Recording, "decoder" | "chunks">) {
  const seen: AGUIEvent[] = [];
  let error: unknown;
  const answer$ = from(chunks as never[]).pipe(decoder(), toEvents());
  concat(of(events.runStarted({ threadId: "t", runId: "r" })), answer$)
    .pipe(verify())
    .subscribe({ next: (event) => seen.push(event), error: (cause: unknown) => (error = cause) });
  // A run that only lacks its end is what is expected here.
  const truncated = (error as { rule?: string } | undefined)?.rule === "truncated";
  return { seen, error: truncated ? undefined : error };
}

function read({ decoder, chunks }: Pick<Recording, "decoder" | "chunks">): Decoded {
  return decode(chunks as never[], decoder());
}

(all.length > 0 ? describe : describe.skip)("recorded streams", () => {
  it.each(all)("$name: calls, text, reasoning, finish and usage are read", (recording) => {
    const { name } = recording;
    const unknown: string[] = [];
    const { calls, deltas, text, reasoning } = decode(
      recording.chunks as never[],
      recording.decoder({ onUnknown: ({ path }) => unknown.push(path) }),
    );
    const right = rightReading(name, peers[name]);
    const clients = calls.filter((call) => !call.providerExecuted);
    expect(clients.map((call) => [call.name, sameJson(call.arguments), call.status])).toEqual(
      right.calls.map(([tool, args, status]) => [tool, sameJson(args || "{}"), status]),
    );
    expect(calls.filter((call) => call.providerExecuted).map(({ id }) => id)).toEqual(right.hosted);
    expect(text.length).toBe(right.textLen ?? 0);
    expect(reasoning.length).toBe(right.reasonLen ?? 0);
    const finish = deltas.filter((delta) => delta.type === "finish").at(-1);
    if (right.finish !== undefined) expect(finish?.reason).toBe(right.finish);
    const usage = deltas.filter((delta) => delta.type === "usage").at(-1)?.usage;
    const counts = { in: usage?.inputTokens ?? Number.NaN, out: usage?.outputTokens ?? Number.NaN };
    if (right.usage !== undefined) expect(counts).toEqual(right.usage);
    expect(unknown).toEqual([]);
  });

  it.each(all)("$name: its events are legal and hold what was read", (recording) => {
    const { seen, error } = eventsOf(recording);
    const { text, reasoning, calls } = read(recording);
    const wanted = own[recording.name]?.error;
    expect(isProviderError(error) ? error.code : error).toBe(wanted);
    if (wanted !== undefined) return;
    const deltasOf = (type: string) =>
      seen
        .map((event) =>
          event.type === type && "delta" in event && typeof event.delta === "string" ? event.delta : "",
        )
        .join("");
    expect(deltasOf("TEXT_MESSAGE_CONTENT")).toBe(text);
    expect(deltasOf("REASONING_MESSAGE_CONTENT")).toBe(reasoning);
    expect(deltasOf("TOOL_CALL_ARGS")).toBe(calls.map((call) => call.arguments).join(""));
  });

  it.each(all)("$name: cut after any chunk, it ends in an error or in a whole result", (recording) => {
    const whole = new Map(read(recording).calls.map((call) => [call.id, call]));
    for (const at of cutsOf(recording.chunks.length)) {
      const cut = { ...recording, chunks: recording.chunks.slice(0, at) };
      const { calls, deltas } = read(cut);
      for (const call of calls) {
        if (call.status !== "complete") continue;
        expect(call).toEqual(whole.get(call.id));
      }
      const { error } = eventsOf(cut);
      if (error === undefined) {
        expect(deltas.some((delta) => delta.type === "finish")).toBe(true);
        expect(calls.every((call) => call.status === "complete")).toBe(true);
      } else expect(isProviderError(error)).toBe(true);
    }
  });

  it.each(all)("$name: however its bytes are cut, the deltas are the same", (recording) => {
    const { decoder, chunks } = recording;
    const bytes = new TextEncoder().encode(
      chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join(""),
    );
    const { deltas } = read(recording);
    const places = fc.array(fc.nat(bytes.length), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(places, (cuts) => {
        const pieces = piecesOf(bytes, cuts);
        const recut: unknown[] = [];
        from(pieces)
          .pipe(toChunks(), decoder())
          .subscribe((delta) => recut.push(delta));
        expect(recut).toEqual(deltas);
      }),
      { seed: 4, numRuns: process.env["AGRX_SOAK"] ? 100 : 2 },
    );
  });
});

/** Every place to cut at; of a long recording some and the last ones, but in a soak all. */
function cutsOf(length: number): number[] {
  const places = Array.from({ length }, (_, at) => at);
  if (process.env["AGRX_SOAK"] || length <= 80) return places;
  const stride = Math.ceil(length / 40);
  return places.filter((at) => at % stride === 0 || at > length - 20);
}

function piecesOf(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end));
}
