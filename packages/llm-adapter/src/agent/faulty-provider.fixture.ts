import { LLMock, type ChatCompletionRequest, type Fixture } from "@copilotkit/aimock";

/** What may go wrong with a request. */
export const faults = [
  "rate limit",
  "server error",
  "dropped in mid-stream",
  "malformed JSON",
  "slow chunks",
] as const;
export type Fault = (typeof faults)[number];

/** A local provider that fails as it was told to, the same way every time. */
export interface FaultyProvider {
  readonly url: string;
  /** How often each fault hit, and how many requests there were. */
  readonly hits: ReadonlyMap<Fault | "none", number>;
  stop(): Promise<void>;
}

/**
 * Starts a provider of which a share of all requests is hit by one of the faults, evenly, by a seeded choice.
 *
 * The conversation it serves has two turns: two parallel calls, then text.
 */
export async function startFaultyProvider(share: number, seed: number): Promise<FaultyProvider> {
  const provider = new LLMock({
    port: 0,
    chunkSize: 8,
    journalMaxEntries: 1,
    requestTransform: (request) => request,
  });
  const random = mulberry32(seed);
  const hits = new Map<Fault | "none", number>();
  const chosen = new WeakMap<ChatCompletionRequest, Fault | "none">();
  const faultOf = (request: ChatCompletionRequest) => {
    let fault = chosen.get(request);
    if (fault === undefined) {
      fault = random() < share ? (faults[Math.floor(random() * faults.length)] ?? "none") : "none";
      chosen.set(request, fault);
      hits.set(fault, (hits.get(fault) ?? 0) + 1);
    }
    return fault;
  };

  const answers = [
    {
      when: (request: ChatCompletionRequest) => request.messages.at(-1)?.role === "tool",
      response: { content: "It is warm, and you rolled well." },
    },
    {
      when: (request: ChatCompletionRequest) => request.messages.at(-1)?.role !== "tool",
      response: {
        content: "Both at once.",
        toolCalls: [
          { name: "get_weather", arguments: JSON.stringify({ city: "Seoul" }) },
          { name: "roll_dice", arguments: JSON.stringify({ sides: 20 }) },
        ],
      },
    },
  ];
  const ways: Record<Fault | "none", Partial<Fixture>> = {
    "rate limit": {
      response: { error: { message: "Slow down", type: "rate_limit_error" }, status: 429, retryAfter: 0.01 },
    },
    "server error": { response: { error: { message: "Oops", type: "server_error" }, status: 500 } },
    "dropped in mid-stream": { truncateAfterChunks: 4 },
    "malformed JSON": { chaos: { malformedRate: 1 } },
    "slow chunks": { latency: 8 },
    none: {},
  };
  for (const { when, response } of answers) {
    for (const [fault, way] of Object.entries(ways)) {
      const match = {
        predicate: (request: ChatCompletionRequest) => when(request) && faultOf(request) === fault,
      };
      provider.addFixture({ match, response, ...way });
    }
  }
  return { url: await provider.start(), hits, stop: () => provider.stop() };
}

/** A small seeded generator of numbers from 0 to 1. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}
