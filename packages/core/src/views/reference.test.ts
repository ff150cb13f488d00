import { defaultApplyEvents, type AbstractAgent } from "@ag-ui/client";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { from } from "rxjs";
import { parseEvents } from "../boundary/parse-events.js";
import { events } from "../protocol/events.js";
import { expandChunks } from "../operators/expand-chunks.js";
import type { AGUIEvent, Message } from "../protocol/vocabulary.js";
import { generateRun, type GeneratedRun } from "./generated-runs.fixture.js";
import { scanRun } from "./scan-run.js";

const runs = process.env["AGRX_SOAK"] ? 5_000 : 150;

interface Result {
  messages: unknown;
  state: unknown;
}

/** What the reference client makes of a stream; it changes what it is given, so it gets a copy. */
function reference(run: GeneratedRun): Promise<Result> {
  const { messages, state = {}, events: stream } = structuredClone(run);
  const input = {
    threadId: "thread",
    runId: "run",
    messages: [],
    tools: [],
    context: [],
    state,
    forwardedProps: {},
  };
  const agent = { messages, state, threadId: "thread" } as unknown as AbstractAgent;
  return new Promise((resolve, reject) => {
    let result: Result = { messages, state };
    defaultApplyEvents(input, from(stream) as never, agent, []).subscribe({
      next: (mutation) => (result = { ...result, ...mutation }),
      error: reject,
      complete: () => resolve(result),
    });
  });
}

/** What `scanRun` makes of it. */
function ours({ messages, state, events: stream }: GeneratedRun): Result {
  let result: Result = { messages, state: state ?? {} };
  from(stream)
    .pipe(scanRun({ messages, ...(state !== undefined && { state }) }))
    .subscribe((view) => (result = { messages: view.messages, state: view.state }));
  return result;
}

const folder = join(__dirname, "../../../../../shared/conformance/official");
const streams = existsSync(folder) ? readdirSync(folder).sort() : [];
if (streams.length === 0) process.stdout.write("../shared/conformance/official is not there: skipped\n");

interface Stream {
  readonly stream: readonly unknown[];
  readonly input?: { readonly messages?: readonly Message[]; readonly state?: unknown };
}

const call = events.toolCallStart({ toolCallId: "c", toolCallName: "look" });
const text = events.textMessageStart({ messageId: "m", role: "assistant" });
const result = (content: string) => events.toolCallResult({ messageId: "tool", toolCallId: "c", content });

/** Where we differ on purpose: the protocol's sentence, a stream, what is held before, and our messages. */
const differences: readonly {
  readonly sentence: string;
  readonly events: readonly AGUIEvent[];
  readonly held?: readonly Message[];
  readonly ours: readonly object[];
}[] = [
  {
    sentence: "1.1 adds encryptedValueType beside encryptedValue; each event sets or deletes both",
    events: [
      text,
      typed(encrypted("x"), "claude"),
      events.reasoningMessageStart({ messageId: "n", role: "reasoning" }),
      typed(encrypted("y", "n"), "claude"),
      encrypted("z", "n"),
    ],
    ours: [
      { id: "m", encryptedValue: "x", encryptedValueType: "claude" },
      { id: "n", encryptedValue: "z" },
    ],
  },
  {
    sentence:
      "a message id is unique in the thread (basic#identifiers): a result told again replaces the first",
    events: [call, events.toolCallEnd({ toolCallId: "c" }), result("one"), result("two")],
    ours: [
      { id: "c", role: "assistant" },
      { id: "tool", content: "two" },
    ],
  },
  {
    sentence: "TEXT_MESSAGE_CONTENT appends: it does not throw away the parts that a message holds",
    events: [events.textMessageContent({ messageId: "user", delta: "more" })],
    held: [{ id: "user", role: "user", content: [{ type: "text", text: "Look" }] }],
    ours: [{ id: "user", content: [{ type: "text", text: "Look" }] }],
  },
];

function encrypted(encryptedValue: string, entityId = "m"): AGUIEvent {
  return events.reasoningEncryptedValue({ subtype: "message", entityId, encryptedValue });
}

/** With the field that 1.1 adds, which `@ag-ui/core` does not know yet. */
function typed(event: AGUIEvent, encryptedValueType: string): AGUIEvent {
  return Object.assign({ ...event }, { encryptedValueType });
}

/** A stream as it reaches the views: enforced, its chunks expanded; empty where it is refused before. */
function enforced({ stream, input = {} }: Stream): GeneratedRun {
  const passed: AGUIEvent[] = [];
  let refused = false;
  from(stream)
    .pipe(parseEvents(), expandChunks())
    .subscribe({ next: (event) => passed.push(event), error: () => (refused = true) });
  const { messages = [], state } = input;
  return { seed: 0, messages, state, events: refused ? [] : passed };
}

describe("scanRun beside the reference client's defaultApplyEvents", () => {
  beforeAll(() => {
    jest.spyOn(console, "warn").mockImplementation(() => undefined);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });

  it(`ends with the same messages and state on ${String(runs)} generated runs`, async () => {
    for (let seed = 1; seed <= runs; seed++) {
      const run = generateRun(seed);
      const expected = JSON.parse(JSON.stringify(await reference(run))) as Result;
      const actual = JSON.parse(JSON.stringify(ours(run))) as Result;
      expect({ seed, ...actual }).toEqual({ seed, ...expected });
    }
  });

  (streams.length > 0 ? it : it.skip).each(streams)(
    "ends with the same messages and state on %s",
    async (file) => {
      const stream = JSON.parse(readFileSync(join(folder, file), "utf8")) as Stream;
      const run = enforced(stream);
      expect(ours(run)).toEqual(await reference(run));
    },
  );

  it.each(differences.map((one) => [one.sentence, one] as const))(
    "differs where %s",
    async (_sentence, { events: stream, held = [], ours: messages }) => {
      const run = { seed: 0, messages: held, state: {}, events: stream };
      expect(ours(run).messages).toEqual(
        messages.map((message) => expect.objectContaining(message) as unknown),
      );
      expect(ours(run).messages).not.toEqual((await reference(run)).messages);
    },
  );
});
