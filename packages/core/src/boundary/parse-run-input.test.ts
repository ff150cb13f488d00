import type { Warning } from "../protocol/warning.js";
import type { InvalidInputError } from "./invalid-input-error.js";
import { parseRunInput } from "./parse-run-input.js";

const valid = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };

function refusal(json: unknown): InvalidInputError {
  try {
    parseRunInput(json);
  } catch (error) {
    return error as InvalidInputError;
  }
  throw new Error("accepted");
}

describe("parseRunInput", () => {
  it("gives back a whole input as it is", () => {
    expect(parseRunInput(valid)).toBe(valid);
  });

  it("reads JSON text", () => {
    expect(parseRunInput(JSON.stringify(valid))).toEqual(valid);
  });

  it("reads an absent list as an empty one, and leaves what came alone", () => {
    const given = { threadId: "t", runId: "r", messages: [] };
    expect(parseRunInput(given)).toEqual(valid);
    expect(given).toEqual({ threadId: "t", runId: "r", messages: [] });
  });

  it("reads a state that is null as absent", () => {
    expect("state" in parseRunInput({ ...valid, state: null })).toBe(false);
  });

  it("keeps what is data: state, forwarded properties, metadata, schemas", () => {
    const given = {
      ...valid,
      state: { a: null, type: "future" },
      forwardedProps: { b: [null] },
      tools: [{ name: "f", description: "", parameters: { type: "object", x: 1 }, metadata: { c: null } }],
      resume: [{ interruptId: "i", status: "resolved", payload: { d: 1 } }],
    };
    expect(parseRunInput(given)).toBe(given);
  });

  it("strips what is unknown, with a warning that names its path, and goes on", () => {
    const warnings: Warning[] = [];
    const input = parseRunInput(
      {
        threadId: "t",
        runId: "r",
        mood: 1,
        messages: [{ id: "u", role: "user", content: [{ type: "hologram" }], mood: 1 }],
        resume: [{ interruptId: "i", status: "postponed" }],
        forwardedProps: null,
      },
      { onWarning: (warning) => warnings.push(warning) },
    );
    expect(input).toEqual({ ...valid, messages: [{ id: "u", role: "user", content: [] }], resume: [] });
    expect(warnings.map(({ code, path }) => [code, path])).toEqual([
      ["unknown-property", "mood"],
      ["unknown-value", "messages.0.content.0"],
      ["unknown-property", "messages.0.mood"],
      ["unknown-value", "resume.0"],
      ["retired-shape", "forwardedProps"],
    ]);
  });

  it("warns of a client that speaks a newer version, and serves it", () => {
    const warnings: Warning[] = [];
    parseRunInput({ ...valid, protocolVersion: "2.0" }, { onWarning: (warning) => warnings.push(warning) });
    expect(warnings).toEqual([
      { code: "protocol-version", path: "protocolVersion", message: expect.stringContaining("2.0") },
    ]);
  });

  it.each<[title: string, json: unknown, path: string]>([
    ["text that is no JSON", '{"threadId": "sk-secret', ""],
    ["null", null, ""],
    ["an array", [], ""],
    ["a number", "1", ""],
    ["a missing id", { ...valid, runId: undefined }, "runId"],
    ["an id that is a number", { ...valid, threadId: 1 }, "threadId"],
    ["messages that are no list", { ...valid, messages: {} }, "messages"],
    ["a message without content", { ...valid, messages: [{ id: "u", role: "user" }] }, "messages.0.content"],
    ["a message without a role", { ...valid, messages: [{ id: "u", content: "" }] }, "messages.0.role"],
    [
      "a part without its text",
      { ...valid, messages: [{ id: "u", role: "user", content: [{ type: "text" }] }] },
      "messages.0.content.0.text",
    ],
    ["a message that is a string", { ...valid, messages: ["sk-secret"] }, "messages.0"],
    ["tools that are null", { ...valid, tools: null }, "tools"],
    ["a tool without a name", { ...valid, tools: [{ description: "sk-secret" }] }, "tools.0.name"],
    [
      "a context entry with a number",
      { ...valid, context: [{ description: "d", value: 1 }] },
      "context.0.value",
    ],
  ])("refuses %s and says where, without the payload", (_title, json, path) => {
    const error = refusal(json);
    expect(error).toMatchObject({ name: "InvalidInputError", code: "invalid-input", path });
    if (path !== "") expect(error.message).toContain(path);
    expect(error.message + JSON.stringify(error)).not.toContain("sk-secret");
    expect(error.cause).toBeUndefined();
  });
});
