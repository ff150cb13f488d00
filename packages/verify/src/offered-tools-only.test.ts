import { events, type AGUIEvent, type OrderingError } from "@agrx/core";
import { from } from "rxjs";
import { offeredToolsOnly } from "./offered-tools-only.js";

const call = (toolCallName: string) => events.toolCallStart({ toolCallId: "call-1", toolCallName });
const input = { tools: [{ name: "search", description: "" }] };

function outcome(stream: AGUIEvent[], offer: Parameters<typeof offeredToolsOnly>[0] = input) {
  let passed = 0;
  let error: OrderingError | undefined;
  from(stream)
    .pipe(offeredToolsOnly(offer))
    .subscribe({ next: () => passed++, error: (cause: OrderingError) => (error = cause) });
  return { passed, rule: error?.rule, index: error?.index, message: error?.message };
}

describe("offeredToolsOnly", () => {
  it("passes calls of offered tools, and everything that is no call", () => {
    const stream = [call("search"), events.toolCallChunk({ toolCallId: "c", toolCallName: "search" })];
    expect(outcome([...stream, events.custom({ name: "x", value: 1 })])).toMatchObject({
      passed: 3,
      rule: undefined,
    });
  });

  it("keeps back a call of another tool, and says which are offered", () => {
    expect(outcome([call("search"), call("delete")])).toEqual({
      passed: 1,
      rule: "not-offered",
      index: 1,
      message:
        'TOOL_CALL_START (event 1) calls tool "delete", which the input does not offer (it offers: "search"). Call an offered tool.',
    });
  });

  it("keeps back a chunk that names another tool", () => {
    const chunk = events.toolCallChunk({ toolCallId: "call-1", toolCallName: "delete" });
    expect(outcome([chunk])).toMatchObject({ passed: 0, rule: "not-offered" });
  });

  it("offers nothing where the input has no tools", () => {
    expect(outcome([call("search")], {})).toMatchObject({ rule: "not-offered" });
  });
});
