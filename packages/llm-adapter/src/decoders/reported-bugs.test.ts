import { EventType, events, type AGUIEvent } from "@agrx/core";
import { verify } from "@agrx/verify";
import { concat, from, of, type OperatorFunction } from "rxjs";
import type { Delta, FinishReason } from "../delta.js";
import { isProviderError } from "../provider-error.js";
import { toChunks } from "../to-chunks.js";
import { toEvents, type ToEventsOptions } from "../to-events.js";
import { decode } from "./decode.fixture.js";
import {
  aiSdk,
  anthropic,
  bedrock,
  gemini,
  langchain,
  mistral,
  ollama,
  openaiChat,
  openaiResponses,
} from "./index.js";

/** A call as a row states it: id, name, arguments and, when it is not "complete", status. An id `*` is any. */
type Call = readonly [id: string, name: string, args: string, status?: string];

interface Right {
  readonly calls?: readonly Call[];
  readonly text?: string;
  readonly reasoning?: string;
  readonly finish?: FinishReason;
  /** The code of the error that `toEvents` ends in. */
  readonly error?: string;
}

/** Reads chunks as calls and as events: both must be right, and the events legal. */
function check(decoder: OperatorFunction<never, Delta>, chunks: readonly unknown[], right: Right): void {
  const { calls, deltas, text, reasoning } = decode(chunks as never[], decoder);
  const { calls: wanted = [] } = right;
  expect(calls.map((call) => [call.name, call.arguments, call.status])).toEqual(
    wanted.map(([, name, args, status = "complete"]) => [name, args, status]),
  );
  wanted.forEach(([id], at) => id === "*" || expect(calls[at]?.id).toBe(id));
  expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
  if (right.text !== undefined) expect(text).toBe(right.text);
  if (right.reasoning !== undefined) expect(reasoning).toBe(right.reasoning);
  if (right.finish !== undefined) {
    expect(deltas.filter((delta) => delta.type === "finish").at(-1)?.reason).toBe(right.finish);
  }

  const { seen, error } = eventsOf(decoder, chunks);
  expect(isProviderError(error) ? error.code : error).toBe(right.error);
  const ended = seen.flatMap((event) => (event.type === EventType.TOOL_CALL_END ? [event.toolCallId] : []));
  if (right.error !== undefined) return;
  expect(ended).toHaveLength(wanted.length);
  const argsOf = (id: string) =>
    seen
      .map((event) => (event.type === EventType.TOOL_CALL_ARGS && event.toolCallId === id ? event.delta : ""))
      .join("");
  expect(ended.map(argsOf)).toEqual(wanted.map(([, , args]) => args));
}

function eventsOf(
  decoder: OperatorFunction<never, Delta>,
  chunks: readonly unknown[],
  options?: ToEventsOptions,
) {
  const seen: AGUIEvent[] = [];
  let error: unknown;
  concat(
    of(events.runStarted({ threadId: "t", runId: "r" })),
    from(chunks as never[]).pipe(decoder, toEvents(options)),
    of(events.runFinished({ threadId: "t", runId: "r" })),
  )
    .pipe(verify())
    .subscribe({ next: (event) => seen.push(event), error: (cause: unknown) => (error = cause) });
  return { seen, error };
}

const types = (seen: readonly AGUIEvent[]) => seen.map((event) => event.type).slice(1, -1);

// Chat completions, in as few words as the reports.
interface ToolCallPart {
  readonly index?: number;
  readonly id?: unknown;
  readonly type?: string;
  readonly name?: unknown;
  readonly args?: unknown;
}
const toolCall = ({ name, args, ...rest }: ToolCallPart) => ({
  ...rest,
  ...((name !== undefined || args !== undefined) && {
    function: { ...(name !== undefined && { name }), ...(args !== undefined && { arguments: args }) },
  }),
});
const delta = (fields: object, rest: object = {}) => ({ choices: [{ index: 0, delta: fields, ...rest }] });
const part = (...parts: ToolCallPart[]) => delta({ tool_calls: parts.map(toolCall) });
const content = (text: string | null) => delta({ content: text });
const finish = (reason: string) => delta({}, { finish_reason: reason });
const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } };

// Anthropic, Bedrock, Responses, Gemini.
const block = (index: number, content_block: object) => ({
  type: "content_block_start",
  index,
  content_block,
});
const toolUse = (index: number, id: string, name = "f") =>
  block(index, { type: "tool_use", id, name, input: {} });
const inputJson = (index: number, partial_json: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
const blockStop = (index: number) => ({ type: "content_block_stop", index });
const stopReason = (stop_reason: string) => ({ type: "message_delta", delta: { stop_reason }, usage: {} });
const functionCallItem = (fields: object) => ({ type: "function_call", name: "f", ...fields });
const completed = { type: "response.completed", response: { status: "completed", output: [] } };
const candidate = (...parts: object[]) => ({ candidates: [{ content: { role: "model", parts } }] });
const stopped = { candidates: [{ finishReason: "STOP" }], usageMetadata: {} };

/** The rows of one reading each: [id, sentence, decoder, chunks, right]. */
const rows: readonly (readonly [
  string,
  string,
  OperatorFunction<never, Delta>,
  readonly unknown[],
  Right,
])[] = [
  [
    "B01",
    "reads a call whose index is missing",
    openaiChat(),
    [part({ id: "c1", name: "f", args: '{"x":1}' }), finish("tool_calls")],
    { calls: [["c1", "f", '{"x":1}']], finish: "tool-calls" },
  ],
  [
    "B02",
    "never drops a delta without an index",
    openaiChat(),
    [part({ id: "c1", name: "f", args: '{"x":' }), part({ args: "1}" }), finish("tool_calls")],
    { calls: [["c1", "f", '{"x":1}']] },
  ],
  [
    "B03",
    "keeps two calls apart when both lack an index",
    openaiChat(),
    [
      part({ id: "a", name: "f", args: '{"n":1}' }),
      part({ id: "b", name: "g", args: '{"n":2}' }),
      finish("tool_calls"),
    ],
    {
      calls: [
        ["a", "f", '{"n":1}'],
        ["b", "g", '{"n":2}'],
      ],
    },
  ],
  [
    "B04",
    "opens a new call at a new id with a name, though the index is taken",
    openaiChat(),
    [
      part({ index: 0, id: "a", name: "w", args: '{"p":"1"}' }),
      part({ index: 0, id: "b", name: "w", args: '{"p":"2"}' }),
      finish("tool_calls"),
    ],
    {
      calls: [
        ["a", "w", '{"p":"1"}'],
        ["b", "w", '{"p":"2"}'],
      ],
    },
  ],
  [
    "B05",
    "opens a new call at a name that comes again after whole arguments, without any id",
    openaiChat(),
    [
      part({ index: 0, name: "s", args: '{"q":"A"}' }),
      part({ index: 0, name: "s", args: '{"q":"B"}' }),
      finish("stop"),
    ],
    {
      calls: [
        ["*", "s", '{"q":"A"}'],
        ["*", "s", '{"q":"B"}'],
      ],
    },
  ],
  [
    "B06",
    "reads three calls where a bridge takes the part's position for the index",
    openaiChat(),
    [1, 2, 3].map((n) => part({ index: 0, id: `g${n}`, name: "get_weather", args: `{"city":"${n}"}` })),
    { calls: [1, 2, 3].map((n) => [`g${n}`, "get_weather", `{"city":"${n}"}`] as const) },
  ],
  [
    "B07",
    "gives fragments to the call whose head came last at a shared index",
    openaiChat(),
    [
      part({ index: 0, id: "c1", name: "add", args: "" }),
      part({ index: 0, args: '{"a":1}' }),
      part({ index: 0, id: "c2", name: "add", args: "" }),
      part({ index: 0, args: '{"a":' }),
      part({ index: 0, args: "2}" }),
      finish("tool_calls"),
    ],
    {
      calls: [
        ["c1", "add", '{"a":1}'],
        ["c2", "add", '{"a":2}'],
      ],
    },
  ],
  [
    "B08",
    "gives bare fragments to the call that was opened last",
    openaiChat(),
    [
      part({ id: "A", name: "m", args: "" }),
      part({ args: '{"i":1}' }),
      part({ id: "B", name: "s", args: "" }),
      part({ args: '{"i":2}' }),
      finish("tool_calls"),
    ],
    {
      calls: [
        ["A", "m", '{"i":1}'],
        ["B", "s", '{"i":2}'],
      ],
    },
  ],
  [
    "B09",
    "keeps interleaved calls apart by their index",
    openaiChat(),
    [
      part({ index: 0, id: "a", name: "f" }, { index: 1, id: "b", name: "g" }),
      part({ index: 1, args: '{"b":' }),
      part({ index: 0, args: '{"a":1}' }),
      part({ index: 1, args: "2}" }),
      finish("tool_calls"),
    ],
    {
      calls: [
        ["a", "f", '{"a":1}'],
        ["b", "g", '{"b":2}'],
      ],
    },
  ],
  [
    "B10",
    "reads a call whose index does not start at 0",
    openaiChat(),
    [part({ index: 1, id: "c", name: "f", args: "{}" }), finish("tool_calls")],
    { calls: [["c", "f", "{}"]] },
  ],
  [
    "B11",
    "takes an empty id for none",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "bash", args: "" }),
      part({ index: 0, id: "", args: '{"k":1}' }),
      finish("tool_calls"),
    ],
    { calls: [["c", "bash", '{"k":1}']] },
  ],
  [
    "B12",
    "takes the same id on every chunk for one call",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: '{"a":' }),
      part({ index: 0, id: "c", args: "1}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B13",
    "gives a call that never gets an id one of its own",
    openaiChat(),
    [part({ index: 0, name: "ls", args: "{" }), part({ index: 0, args: "}" }), finish("tool_calls")],
    { calls: [["call-1", "ls", "{}"]] },
  ],
  [
    "B14",
    "holds START until an id that comes late",
    openaiChat(),
    [part({ index: 0 }), part({ index: 0, id: "call_9", name: "f", args: "{}" }), finish("tool_calls")],
    { calls: [["call_9", "f", "{}"]] },
  ],
  [
    "B15",
    "keeps id and name when empty ones follow",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f" }),
      part({ index: 0, id: "", name: "", args: "{}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", "{}"]] },
  ],
  [
    "B16",
    "reads an id that is a number as its digits",
    openaiChat(),
    [
      part({ index: 0, id: 17, name: "bash", args: "" }),
      part({ index: 0, name: "", args: "{}" }),
      finish("tool_calls"),
    ],
    { calls: [["17", "bash", "{}"]] },
  ],
  [
    "B17",
    "takes a name that comes with every chunk for one name",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "read_file", args: "{" }),
      part({ index: 0, name: "read_file", args: "}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "read_file", "{}"]] },
  ],
  [
    "B18",
    "joins a name that comes in pieces before the arguments",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "edit_ex" }),
      part({ index: 0, name: "isting_file" }),
      part({ index: 0, args: "{}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "edit_existing_file", "{}"]] },
  ],
  [
    "B19",
    "holds arguments that come before the name",
    openaiChat(),
    [
      part({ index: 0, id: "c", args: '{"c":' }),
      part({ index: 0, name: "bash", args: "1}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "bash", '{"c":1}']] },
  ],
  [
    "B20",
    "waits for the real name behind an empty one",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "", args: "" }),
      part({ index: 0, name: "f", args: "{}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", "{}"]] },
  ],
  [
    "B21",
    "takes a null name for none",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f" }),
      part({ index: 0, name: null, args: '{"a":1}' }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B22",
    "joins nothing but arguments",
    openaiChat(),
    [
      part({ index: 0, id: "c", type: "function", name: "f", args: "{" }),
      part({ index: 0, id: "c", type: "function", args: '"a":1' }),
      part({ index: 0, id: "c", type: "function", args: "}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B23",
    "reads no arguments as {}",
    openaiChat(),
    [part({ index: 0, id: "c", name: "now", args: "" }), finish("tool_calls")],
    { calls: [["c", "now", "{}"]] },
  ],
  [
    "B24",
    "never seeds the arguments: null first, text later",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: null }),
      part({ index: 0, args: '{"l":1}' }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"l":1}']] },
  ],
  [
    "B25",
    "sends arguments that come as an object as JSON",
    openaiChat(),
    [part({ index: 0, id: "c", name: "bash", args: { command: "ls" } }), finish("tool_calls")],
    { calls: [["c", "bash", '{"command":"ls"}']] },
  ],
  [
    "B26",
    "keeps id and name of a chunk whose arguments are null",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: null }),
      part({ index: 0, args: '{"a":' }),
      part({ index: 0, args: "1}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B27",
    "takes from a cumulative resend only what is new",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: '{"a"' }),
      part({ index: 0, args: '{"a":1' }),
      part({ index: 0, args: '{"a":1}' }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B28",
    "drops the whole arguments when they come once more at the end",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: '{"c":' }),
      part({ index: 0, args: "1}" }),
      part({ index: 0, args: '{"c":1}' }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"c":1}']] },
  ],
  [
    "B29",
    "reads identical objects in one string as one",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: '{"q":1}{"q":1}' }), finish("tool_calls")],
    { calls: [["c", "f", '{"q":1}']] },
  ],
  [
    "B29",
    "does not choose between different objects in one string",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: '{"q":1}{"q":2}' }), finish("tool_calls")],
    { calls: [["c", "f", '{"q":1}{"q":2}', "invalid"]] },
  ],
  [
    "B30",
    "ends a call once, though an empty fragment comes with the finish",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: '{"a":1}' }),
      delta({ tool_calls: [toolCall({ index: 0, args: "" })] }, { finish_reason: "tool_calls" }),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B31",
    "does not end a call because its text parses so far",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: "{}" }),
      part({ index: 0, args: '{"q":1}' }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{}{"q":1}', "invalid"]] },
  ],
  [
    "B31",
    "joins scalars that parse piece by piece",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: "1" }), part({ index: 0, args: "2" }), finish("tool_calls")],
    { calls: [["c", "f", "12"]] },
  ],
  [
    "B32",
    'passes {}"" on as it came, and calls it invalid',
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: "{}" }),
      part({ index: 0, args: '""' }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{}""', "invalid"]] },
  ],
  [
    "B33",
    "reads a raw line feed inside a string as itself",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: '{"t":"a\nb"}' }), finish("tool_calls")],
    { calls: [["c", "f", '{"t":"a\nb"}']] },
  ],
  [
    "B34",
    "keeps a prefix of the arguments as it came and calls it incomplete",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: '{"cmd":"rm -rf /tmp/a' })],
    { calls: [["c", "f", '{"cmd":"rm -rf /tmp/a', "incomplete"]], error: "truncated" },
  ],
  [
    "B35",
    "emits arguments that come with the head",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: '{"a":' }),
      part({ index: 0, args: "1}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B36",
    "finishes with tool calls, though the reason is stop",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: "{}" }), finish("stop")],
    { calls: [["c", "f", "{}"]], finish: "tool-calls" },
  ],
  [
    "B37",
    "calls a prefix incomplete, though the finish says tool_calls",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: '{"text":"abc' }), finish("tool_calls")],
    { calls: [["c", "f", '{"text":"abc', "incomplete"]], error: "incomplete-tool-call" },
  ],
  [
    "B37",
    "supplies nothing to a call that ran out of tokens before its arguments",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: "" }), finish("length")],
    { calls: [["c", "f", "", "incomplete"]], error: "incomplete-tool-call" },
  ],
  [
    "B38",
    "reads the last arguments before the finish of the same chunk",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: '{"a":' }),
      delta(
        { tool_calls: [toolCall({ index: 0, id: "c", type: "function", name: "f", args: "1}" })] },
        { finish_reason: "tool_calls" },
      ),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B39",
    "reads on after a finish on an intermediate chunk",
    openaiChat(),
    [
      delta(
        { tool_calls: [toolCall({ index: 0, id: "a", name: "f", args: '{"n":1}' })] },
        { finish_reason: "tool_calls" },
      ),
      part({ index: 1, id: "b", name: "f", args: '{"n":2}' }),
      delta({ content: "done" }, { finish_reason: "stop" }),
    ],
    {
      calls: [
        ["a", "f", '{"n":1}'],
        ["b", "f", '{"n":2}'],
      ],
      text: "done",
    },
  ],
  [
    "B40",
    "completes a call whose text is a whole object when no finish comes at all",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: '{"a":1}' })],
    { calls: [["c", "f", '{"a":1}']], finish: "tool-calls" },
  ],
  [
    "B41",
    "reports a stream that was cut inside a call as truncated",
    openaiChat(),
    [part({ index: 0, id: "c", name: "f", args: '{"a":' })],
    { calls: [["c", "f", '{"a":', "incomplete"]], error: "truncated" },
  ],
  [
    "B42",
    "takes an empty finish_reason and an empty function_call for none",
    openaiChat(),
    [
      delta({ tool_calls: [toolCall({ index: 0, id: "c", name: "f", args: "" })] }, { finish_reason: "" }),
      delta(
        { function_call: { name: "", arguments: "" }, tool_calls: [toolCall({ index: 0, args: "{}" })] },
        { finish_reason: "" },
      ),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", "{}"]], finish: "tool-calls" },
  ],
  [
    "B44",
    "skips chunks without choices and reads on",
    openaiChat(),
    [{ choices: [], prompt_filter_results: [] }, content("a"), finish("stop"), usage],
    { text: "a", finish: "stop" },
  ],
  [
    "B45",
    "skips a choice without a delta between two fragments",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: '{"a":' }),
      { id: "", choices: [{ index: 0, finish_reason: null, content_filter_results: {} }] },
      part({ index: 0, args: "1}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"a":1}']] },
  ],
  [
    "B46",
    "makes no text of null or empty content beside a call",
    openaiChat(),
    [
      delta({ content: null, tool_calls: [toolCall({ index: 0, id: "c", name: "f", args: '{"a":' })] }),
      content(""),
      part({ index: 0, args: "1}" }),
      finish("tool_calls"),
    ],
    { calls: [["c", "f", '{"a":1}']], text: "" },
  ],
  [
    "B47",
    "reads an empty list of calls as plain text",
    openaiChat(),
    [delta({ content: "hi", tool_calls: [] }), finish("stop")],
    { text: "hi", finish: "stop" },
  ],
  [
    "B48",
    "keeps both calls whole when a line feed comes between and inside them",
    openaiChat(),
    [
      part({ index: 0, id: "a", name: "f", args: '{"n":' }),
      content("\n"),
      part({ index: 1, id: "b", name: "f", args: '{"n":2}' }),
      content("\n"),
      part({ index: 0, args: "1}" }),
      finish("tool_calls"),
    ],
    {
      calls: [
        ["a", "f", '{"n":1}'],
        ["b", "f", '{"n":2}'],
      ],
      text: "\n\n",
    },
  ],
  [
    "B53",
    "reports an error inside a stream that began well, and completes no call",
    openaiChat(),
    [
      part({ index: 0, id: "c", name: "f", args: "{}" }),
      { choices: [], error: { code: 502, message: "capacity" } },
    ],
    { calls: [["c", "f", "{}", "incomplete"]], error: "502" },
  ],
  [
    "B55",
    "reports Anthropic's error event by its type",
    anthropic(),
    [
      toolUse(1, "t"),
      inputJson(1, '{"a":'),
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ],
    { calls: [["t", "f", '{"a":', "incomplete"]], error: "overloaded_error" },
  ],
  [
    "B56",
    "reads reasoning from either field",
    openaiChat(),
    [delta({ reasoning: "hm" }), finish("stop")],
    { reasoning: "hm" },
  ],
  [
    "B56",
    "reads reasoning that stands in both fields once",
    openaiChat(),
    [delta({ reasoning: "hm", reasoning_content: "hm" }), finish("stop")],
    { reasoning: "hm" },
  ],
  [
    "B57",
    "routes Anthropic's fragments by block, not to the latest call",
    anthropic(),
    [
      toolUse(1, "toolu_a"),
      toolUse(2, "toolu_b"),
      inputJson(1, '{"a":1}'),
      inputJson(2, '{"b":2}'),
      blockStop(1),
      blockStop(2),
      stopReason("tool_use"),
    ],
    {
      calls: [
        ["toolu_a", "f", '{"a":1}'],
        ["toolu_b", "f", '{"b":2}'],
      ],
    },
  ],
  [
    "B58",
    "reads a tool without input deltas as {}",
    anthropic(),
    [toolUse(1, "t"), inputJson(1, ""), blockStop(1)],
    { calls: [["t", "f", "{}"]] },
  ],
  [
    "B59",
    "calls a half block incomplete when the context window is full",
    anthropic(),
    [
      toolUse(0, "t"),
      inputJson(0, '{"a":'),
      stopReason("model_context_window_exceeded"),
      { type: "message_stop" },
    ],
    { calls: [["t", "f", '{"a":', "incomplete"]], finish: "length", error: "incomplete-tool-call" },
  ],
  [
    "B60",
    "reads Bedrock's input from the deltas",
    bedrock(),
    [
      { contentBlockStart: { contentBlockIndex: 0, start: { toolUse: { toolUseId: "t", name: "f" } } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: '{"c":' } } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { toolUse: { input: "1}" } } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: "tool_use" } },
    ],
    { calls: [["t", "f", '{"c":1}']] },
  ],
  [
    "B61",
    "joins Responses events by item and gives the call its call_id",
    openaiResponses(),
    [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: functionCallItem({ id: "fc_1", call_id: "call_1", arguments: "" }),
      },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: "{}" },
      { type: "response.function_call_arguments.done", item_id: "fc_1", output_index: 0, arguments: "{}" },
      {
        type: "response.output_item.done",
        output_index: 0,
        item: functionCallItem({ id: "fc_1", call_id: "call_1", arguments: "{}" }),
      },
      completed,
    ],
    { calls: [["call_1", "f", "{}"]] },
  ],
  [
    "B62",
    "adds nothing for the snapshot in response.completed",
    openaiResponses(),
    [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: functionCallItem({ id: "fc_1", call_id: "call_1", arguments: "" }),
      },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"a":1}' },
      {
        type: "response.completed",
        response: { output: [functionCallItem({ id: "fc_1", call_id: "call_1", arguments: '{"a":1}' })] },
      },
    ],
    { calls: [["call_1", "f", '{"a":1}']] },
  ],
  [
    "B63",
    "reads a function_call item that has no id and comes at once",
    openaiResponses(),
    [
      {
        type: "response.output_item.done",
        output_index: 0,
        item: functionCallItem({ call_id: "call_1", arguments: '{"q":1}' }),
      },
      completed,
    ],
    { calls: [["call_1", "f", '{"q":1}']] },
  ],
  [
    "B64",
    "passes over an empty fragment",
    openaiResponses(),
    [
      {
        type: "response.output_item.added",
        output_index: 0,
        item: functionCallItem({ id: "fc_1", call_id: "call_1", arguments: "" }),
      },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: "" },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"a":1}' },
      completed,
    ],
    { calls: [["call_1", "f", '{"a":1}']] },
  ],
  [
    "B65",
    "gives three calls of one function three ids",
    gemini(),
    [..."ABC"].map((city) => candidate({ functionCall: { name: "get_weather", args: { city } } })),
    { calls: [..."ABC"].map((city) => ["*", "get_weather", `{"city":"${city}"}`] as const) },
  ],
  [
    "B67",
    "joins Vertex's streamed arguments to one call that ends at {}",
    gemini(),
    [
      candidate({ functionCall: { name: "w", willContinue: true } }),
      candidate({
        functionCall: {
          partialArgs: [{ jsonPath: "$.t", stringValue: "he", willContinue: true }],
          willContinue: true,
        },
      }),
      candidate({
        functionCall: { partialArgs: [{ jsonPath: "$.t", stringValue: "y" }], willContinue: true },
      }),
      candidate({ functionCall: {} }),
      stopped,
    ],
    { calls: [["*", "w", '{"t":"hey"}']] },
  ],
  [
    "B68",
    "reads a finish on a candidate without content",
    gemini(),
    [candidate({ functionCall: { name: "f", args: {} } }), stopped],
    { calls: [["*", "f", "{}"]], finish: "tool-calls" },
  ],
  [
    "B68",
    "reads on after a STOP that comes first",
    gemini(),
    [stopped, candidate({ text: "a" }), candidate({ functionCall: { name: "f", args: {} } })],
    { calls: [["*", "f", "{}"]], text: "a", finish: "tool-calls" },
  ],
  [
    "B69",
    "reads Ollama's object arguments as text, two calls as two, and stop as tool calls",
    ollama(),
    [
      {
        message: {
          tool_calls: [
            { function: { name: "f", arguments: { c: 1 } } },
            { function: { name: "f", arguments: { c: 2 } } },
          ],
        },
        done: false,
      },
      { message: { content: "" }, done: true, done_reason: "stop" },
    ],
    {
      calls: [
        ["*", "f", '{"c":1}'],
        ["*", "f", '{"c":2}'],
      ],
      finish: "tool-calls",
    },
  ],
  [
    "B70",
    'takes the id "null" for none',
    mistral(),
    [1, 2].map(() => ({
      choices: [
        { index: 0, delta: { tool_calls: [{ id: "null", function: { name: "f", arguments: "{}" } }] } },
      ],
    })),
    {
      calls: [
        ["*", "f", "{}"],
        ["*", "f", "{}"],
      ],
    },
  ],
  [
    "B71",
    "keeps LangChain's calls apart though nothing ends the first",
    langchain(),
    [
      { id: "A", name: "search", args: "", index: 0 },
      { args: '{"q":1}', index: 0 },
      { id: "B", name: "search", args: "", index: 1 },
      { args: '{"q":2}', index: 1 },
    ].map((chunk) => ({ content: "", tool_call_chunks: [{ type: "tool_call_chunk", ...chunk }] })),
    {
      calls: [
        ["A", "search", '{"q":1}'],
        ["B", "search", '{"q":2}'],
      ],
    },
  ],
  [
    "B72",
    "ends in an error when the stream stops while calls are open",
    anthropic(),
    [toolUse(0, "a"), toolUse(1, "b"), toolUse(2, "c"), inputJson(0, "{}"), blockStop(0)],
    {
      calls: [
        ["a", "f", "{}"],
        ["b", "f", "", "incomplete"],
        ["c", "f", "", "incomplete"],
      ],
      error: "truncated",
    },
  ],
];

describe("reported bugs, each read as it should have been", () => {
  it.each(rows)("%s: %s", (_, __, decoder, chunks, right) => check(decoder, chunks, right));

  it("B14: uses one id for START, ARGS and END of a call whose id came late", () => {
    const { seen } = eventsOf(openaiChat(), [
      part({ index: 0, name: "f" }),
      part({ index: 0, args: '{"a":' }),
      part({ index: 0, id: "call_9", args: "1}" }),
      finish("tool_calls"),
    ]);
    const ids = seen.flatMap((event) => ("toolCallId" in event ? [event.toolCallId] : []));
    expect(new Set(ids)).toEqual(new Set(["call_9"]));
  });

  it("B33: gives the line feed inside a string to the tool", () => {
    const { calls } = decode(
      [part({ index: 0, id: "c", name: "f", args: '{"t":"a\nb"}' }), finish("tool_calls")] as never[],
      openaiChat(),
    );
    expect(calls[0]?.args).toEqual({ t: "a\nb" });
  });

  it("B34: gives no value of a call that was cut", () => {
    const { calls, error } = decode(
      [part({ index: 0, id: "c", name: "f", args: '{"cmd":"rm -rf /tmp/a' })] as never[],
      openaiChat(),
    );
    expect(calls).toMatchObject([{ status: "incomplete", args: undefined }]);
    expect(error).toBeUndefined();
  });

  it("B41: marks the finish that it infers when a whole call is followed by nothing", () => {
    const { deltas } = decode([part({ index: 0, id: "c", name: "f", args: "{}" })] as never[], openaiChat());
    expect(deltas.at(-1)).toEqual({ type: "finish", reason: "tool-calls", raw: "", implied: true });
  });

  it("B41: reports text that was cut as truncated, but takes chunks that name no answer as they are", () => {
    const text = { choices: [{ index: 0, delta: { content: "hi" } }] };
    check(openaiChat(), [{ id: "chatcmpl-1", ...text }], { text: "hi", error: "truncated" });
    check(openaiChat(), [{ model: "m", ...text }], { text: "hi", error: "truncated" });
    check(openaiChat(), [text], { text: "hi", finish: "stop" });
    check(openaiChat(), [], { error: "truncated" });
  });

  it("B43: reads one choice of several", () => {
    const choice = (index: number, id: string, args: string) => ({
      choices: [{ index, delta: { tool_calls: [toolCall({ index: 0, id, name: "f", args })] } }],
    });
    const chunks = [
      choice(0, "a", '{"n":'),
      choice(1, "b", '{"m":'),
      choice(0, "a", "1}"),
      choice(1, "b", "2}"),
    ];
    const end = { choices: [0, 1].map((index) => ({ index, delta: {}, finish_reason: "tool_calls" })) };
    check(openaiChat(), [...chunks, end], { calls: [["a", "f", '{"n":1}']] });
    check(openaiChat({ choice: 1 }), [...chunks, end], { calls: [["b", "f", '{"m":2}']] });
  });

  describe("on the wire", () => {
    const line = JSON.stringify(delta({ content: "名 😀" }, { finish_reason: "stop" }));
    const textOf = (...pieces: (string | Uint8Array)[]) => {
      let text = "";
      from(pieces)
        .pipe(toChunks(), openaiChat())
        .subscribe((each) => (text += each.type === "text" ? each.text : ""));
      return text;
    };

    it("B49: skips comments, also those that a proxy sends as data", () => {
      expect(
        textOf(": OPENROUTER PROCESSING\n\n", "data: : OPENROUTER PROCESSING\n\n", `data: ${line}\n\n`),
      ).toBe("名 😀");
    });

    it("B50: takes CRLF, LF and CR for line ends, cut between CR and LF, and nothing else", () => {
      const separator = JSON.stringify(delta({ content: "a\u2028b" }, { finish_reason: "stop" }));
      expect(textOf(`data: ${line}\r`, "\n\r", `\ndata:${line}\r\rdata: ${line}\n\n`)).toBe(
        "名 😀".repeat(3),
      );
      expect(textOf(`data: ${separator}\n\n`)).toBe("a\u2028b");
    });

    it("B51: joins a character whose bytes come in two reads", () => {
      const bytes = new TextEncoder().encode(`data: ${line}\n\n`);
      expect(textOf(...Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toBe("名 😀");
    });
  });

  it("B52: holds half of a surrogate pair until its other half comes", () => {
    const chunks = [
      part({ index: 0, id: "c", name: "f", args: '{"e":"\ud83d' }),
      part({ index: 0, args: '\ude00"}' }),
      finish("tool_calls"),
    ];
    check(openaiChat(), chunks, { calls: [["c", "f", '{"e":"😀"}']] });
    const { seen } = eventsOf(openaiChat(), chunks);
    for (const event of seen) {
      if (event.type === EventType.TOOL_CALL_ARGS)
        expect(event.delta).toBe(new TextDecoder().decode(new TextEncoder().encode(event.delta)));
    }
  });

  it("B54: keeps code and message of an error", () => {
    const { error } = eventsOf(openaiChat(), [{ error: { message: "too long", code: "CTX" } }]);
    expect(error).toMatchObject({ code: "CTX", message: "too long", provider: "openai" });
  });

  it("B59: reads pause_turn as a pause", () => {
    check(anthropic(), [stopReason("pause_turn"), { type: "message_stop" }], { finish: "pause" });
  });

  it("B66: carries a thought signature on the very call it came with, and invents none", () => {
    const { seen } = eventsOf(gemini(), [
      candidate({ functionCall: { name: "a", args: {} }, thoughtSignature: "S" }),
      candidate({ functionCall: { name: "b", args: {} } }),
      stopped,
    ]);
    const starts = seen.filter((event) => event.type === EventType.TOOL_CALL_START);
    expect(starts.map((event) => event.toolCallName)).toEqual(["a", "b"]);
    expect(seen.filter((event) => event.type === EventType.REASONING_ENCRYPTED_VALUE)).toMatchObject([
      {
        subtype: "tool-call",
        entityId: starts[0]?.toolCallId,
        encryptedValue: "S",
        encryptedValueType: "google.thought_signature",
      },
    ]);
    expect(new Set(starts.map((event) => event.parentMessageId)).size).toBe(1);
  });

  it("B69: passes Ollama's reason length through", () => {
    check(ollama(), [{ message: { content: "a" } }, { done: true, done_reason: "length" }], {
      text: "a",
      finish: "length",
    });
  });

  it("B73: ends the text and starts the call on one chunk", () => {
    const { seen } = eventsOf(openaiChat(), [
      content("a"),
      delta({ content: "b", tool_calls: [toolCall({ index: 0, id: "c", name: "f", args: "{}" })] }),
      finish("tool_calls"),
    ]);
    expect(types(seen)).toEqual([
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
    ]);
  });

  it("B74: sends atomic arguments as one ARGS between START and END", () => {
    const { seen } = eventsOf(aiSdk(), [
      { type: "tool-call", toolCallId: "c", toolName: "f", input: { city: "X" } },
      { type: "finish", finishReason: "tool-calls" },
    ]);
    expect(types(seen)).toEqual(["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END"]);
  });

  it("B75: starts a new message for text that follows a call", () => {
    const { seen, error } = eventsOf(openaiChat(), [
      content("a"),
      part({ index: 0, id: "c", name: "f", args: "{}" }),
      content("b"),
      finish("tool_calls"),
    ]);
    expect(error).toBeUndefined();
    const starts = seen.filter((event) => event.type === EventType.TEXT_MESSAGE_START);
    expect(starts.map((event) => event.messageId)).toEqual(["msg-1", "msg-2"]);
    expect(starts[1]?.metadata).toEqual({ "agrx.continues": "msg-1" });
  });

  it("B76: sends a result alone when its call never came, and no END", () => {
    const { seen } = eventsOf(anthropic(), [
      block(0, { type: "web_search_tool_result", tool_use_id: "earlier", content: [] }),
      blockStop(0),
      stopReason("end_turn"),
    ]);
    expect(types(seen)).toEqual(["TOOL_CALL_RESULT"]);
  });

  it("B77: flags glued arguments on the call and never throws for them", () => {
    check(
      openaiChat(),
      [part({ index: 0, id: "c", name: "f", args: '{"a":1}{"a":2}' }), finish("tool_calls")],
      { calls: [["c", "f", '{"a":1}{"a":2}', "invalid"]] },
    );
  });
});
