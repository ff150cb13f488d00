import { parseRunInput } from "@agrx/core";
import { chunkExpansion } from "./sentences/chunks.fixture.js";
import { enforcement } from "./sentences/enforcement.fixture.js";
import { eventTable } from "./sentences/event-table.fixture.js";
import { hostileNames } from "./sentences/hostile-names.fixture.js";
import { legalAlthoughOdd } from "./sentences/legal.fixture.js";
import { lifecycle } from "./sentences/lifecycle.fixture.js";
import { ordering } from "./sentences/ordering.fixture.js";
import { views } from "./sentences/views.fixture.js";
import type { Sentence } from "./sentences/sentence.fixture.js";
import {
  activityMessage,
  again,
  assistant,
  call,
  called,
  consume,
  finished,
  meta,
  produce,
  reasoning,
  result,
  run,
  sourced,
  tool,
  user,
  type Played,
  type Json,
} from "./sentences/wire.fixture.js";

const shown = (codes: readonly string[]) => [...new Set(codes)].sort();
const verdict = ({ error }: Played) =>
  error === undefined ? "legal" : (error.rule ?? error.path ?? error.message);

function defineSentences(sentences: readonly Sentence[]): void {
  it.each(sentences.map((sentence) => [sentence.says, sentence] as const))("%s", (_, sentence) => {
    const {
      stream,
      input,
      refused,
      at,
      warned = [],
      paths,
      delivered,
      carried,
      messages,
      state,
      view,
    } = sentence;
    const played = consume(stream, input);

    expect(verdict(played)).toBe(refused ?? "legal");
    if (at !== undefined && played.delivered.length <= at) expect(played.error!.index).toBe(at);
    expect(shown(played.warnings.map(({ code }) => code))).toEqual(shown(warned));
    if (paths) expect(played.warnings.flatMap(({ path }) => path ?? [])).toEqual(paths);
    if (delivered !== undefined) expect(played.delivered.map(({ type }) => type).join(" ")).toBe(delivered);
    for (const [index, fields] of Object.entries(carried ?? {})) {
      expect({ ...played.delivered[Number(index)] }).toEqual(expect.objectContaining(defined(fields)));
      for (const name in fields)
        expect([name, (played.delivered[Number(index)] as unknown as Json)[name]]).toEqual([
          name,
          fields[name],
        ]);
    }
    if (messages) expect(played.view!.messages).toEqual(messages);
    if ("state" in sentence) expect(played.view!.state).toEqual(state);
    if (view) expect(played.view).toMatchObject(view);
  });

  it.each(sentences.map((sentence) => [sentence.says, sentence] as const))(
    "for a producer: %s",
    (_, sentence) => {
      const { stream, input, refused, producer = refused } = sentence;
      expect(verdict(produce(stream, { ...input }))).toBe(producer ?? "legal");
    },
  );
}

const defined = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

describe("the event table", () => defineSentences(eventTable));
describe("ordering", () => defineSentences(ordering));
describe("legal although it looks wrong", () => defineSentences(legalAlthoughOdd));
describe("chunk expansion", () => defineSentences(chunkExpansion));
describe("enforcement", () => defineSentences(enforcement));
describe("views", () => defineSentences(views));
describe("lifecycle and versions", () => defineSentences(lifecycle));
describe("hostile names", () => defineSentences(hostileNames));

describe("a producer that knows the input", () => {
  const input = { threadId: "t", runId: "r", messages: [], tools: [{ name: "f", description: "" }] };

  it("4: refuses a run that does not echo the ids that were asked for", () => {
    expect(verdict(produce(run(), { ...input, runId: "q" }))).toBe("run-mismatch");
    expect(verdict(produce(run(), { ...input, threadId: "q" }))).toBe("run-mismatch");
    expect(verdict(produce(run(), input))).toBe("legal");
  });

  it("4: asks it of the first run alone", () => {
    expect(verdict(produce([...run(), again("r2"), finished({ runId: "r2" })], input))).toBe("legal");
  });

  it("16: warns of a result for a tool of the client's", () => {
    const played = produce(run(call("c"), result("c", "tm", "ok")), input);
    expect(verdict(played)).toBe("legal");
    expect(played.warnings.map(({ code, id }) => [code, id])).toEqual([["frontend-tool-answered", "c"]]);
  });

  it("16: says nothing of a result for another tool", () => {
    const stream = run(call("c", "{}", { toolCallName: "own" }), result("c", "tm", "ok"));
    expect(produce(stream, input).warnings).toEqual([]);
  });
});

describe("run input", () => {
  const read = (more: Json) => {
    const warnings: (string | undefined)[] = [];
    try {
      const input = parseRunInput(
        { threadId: "t", runId: "r", messages: [], ...more },
        { onWarning: ({ path }) => warnings.push(path) },
      );
      return { input, warnings };
    } catch (error) {
      return { refused: (error as { path: string }).path, warnings };
    }
  };
  const content = [
    { type: "text", text: "a", id: "1", metadata: { a: 1 } },
    ...["image", "audio", "video", "document"].flatMap((type) => [
      { type, source: { type: "data", value: "AA", mimeType: "x/y" } },
      { type, source: { type: "url", value: "https://x", mimeType: "x/y" }, id: "2", metadata: 1 },
      { type, source: { type: "file", value: "f", provider: "p", mimeType: "x/y" } },
    ]),
  ];

  it("takes the messages of every role with all that they may have", () => {
    const sealed = { encryptedValue: "v", encryptedValueType: "x", metadata: { a: null } };
    const messages = [
      { id: "1", role: "developer", content: "", name: "n", ...sealed },
      { id: "2", role: "system", content: "", name: "n", ...sealed },
      assistant("3"),
      assistant("4", { content: "", name: "n", toolCalls: [called("c", "", sealed)], ...sealed }),
      user("5", "", { name: "n", ...sealed }),
      user("6", content),
      tool("7", "c", content, { error: "e", ...sealed }),
      reasoning("8", "", sealed),
      activityMessage("9", meta({ a: 1 })),
    ];
    expect(read({ messages })).toMatchObject({ input: { messages }, warnings: [] });
  });

  it.each<[says: string, more: Json, paths: string[]]>([
    ["a name of a tool message", { messages: [tool("m", "c", "", { name: "n" })] }, ["messages.0.name"]],
    ["a name of a reasoning message", { messages: [reasoning("m", "", { name: "n" })] }, ["messages.0.name"]],
    [
      "an encrypted value of an activity",
      { messages: [activityMessage("m", { encryptedValue: "v" })] },
      ["messages.0.encryptedValue"],
    ],
    ["a message of unknown role", { messages: [{ id: "m", role: "critic" }] }, ["messages.0"]],
    [
      "a part of unknown kind",
      { messages: [user("m", [{ type: "json", json: {} }])] },
      ["messages.0.content.0"],
    ],
    [
      "a part of unknown source",
      { messages: [user("m", [sourced({ type: "cloud" })])] },
      ["messages.0.content.0"],
    ],
    [
      "an answer of unknown status",
      {
        resume: [
          { interruptId: "i", status: "resolved" },
          { interruptId: "j", status: "later" },
        ],
      },
      ["resume.1"],
    ],
  ])("strips %s, with a warning, and goes on", (_, more, paths) => {
    expect(read(more)).toEqual({ input: expect.anything() as unknown, warnings: paths });
  });

  it.each<[path: string, more: Json]>([
    ["threadId", { threadId: null }],
    ["runId", { runId: undefined }],
    ["messages", { messages: null }],
    ["context", { context: null }],
    ["context.0.description", { context: [{ value: "x" }] }],
    ["tools.0.description", { tools: [{ name: "f" }] }],
    ["tools.0.metadata", { tools: [{ name: "f", description: "", metadata: null }] }],
    ["resume", { resume: {} }],
    ["resume.0.interruptId", { resume: [{ status: "resolved" }] }],
    ["resume.0.status", { resume: [{ interruptId: "i", status: null }] }],
    ["parentRunId", { parentRunId: null }],
    ["protocolVersion", { protocolVersion: 1 }],
    ["messages.0.name", { messages: [user("m", "", { name: null })] }],
    ["messages.0.content", { messages: [assistant("m", { content: [] })] }],
    [
      "messages.0.toolCalls.0.type",
      { messages: [assistant("m", { toolCalls: [{ ...called("c"), type: "tool" }] })] },
    ],
    ["messages.0.content.0.source", { messages: [user("m", [sourced("x")])] }],
  ])("refuses a malformed %s", (path, more) => {
    expect(read(more)).toEqual({ refused: path, warnings: [] });
  });
});
