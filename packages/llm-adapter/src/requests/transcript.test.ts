import { events, scanMessages, type AGUIEvent, type Message } from "@agrx/core";
import { concat, from, last, of } from "rxjs";
import { openaiChat } from "../decoders/index.js";
import { toEvents } from "../to-events.js";
import { toOpenAI } from "./to-openai.js";
import { toTranscript } from "./transcript.js";

const user: Message = { id: "u", role: "user", content: "Weather?" };

/** The messages after an answer of these parts, in which the tool has answered. */
function conversation(...deltas: readonly object[]): readonly Message[] {
  const chunks = deltas.map((delta) => ({ id: "x", choices: [{ index: 0, delta }] }));
  const finish = { id: "x", choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] };
  let messages: readonly Message[] = [];
  concat<[AGUIEvent, AGUIEvent]>(
    from([...chunks, finish]).pipe(openaiChat(), toEvents()),
    of(events.toolCallResult({ toolCallId: "c", messageId: "r", content: "sunny" })),
  )
    .pipe(scanMessages([user]), last())
    .subscribe((all) => (messages = all));
  return messages;
}

const call = { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] };

describe("toTranscript", () => {
  it.each([
    ["text before the call", [{ content: "Let me see." }, call], "Let me see."],
    ["text behind the call", [call, { content: "One moment." }], "One moment."],
    [
      "text on both sides",
      [{ content: "Let me see." }, call, { content: " One moment." }],
      "Let me see. One moment.",
    ],
    ["white space behind the call", [{ content: "a" }, call, { content: "\n" }], "a\n"],
  ])("ends with the call's answer, not with the model's word: %s", (_, deltas, text) => {
    const { turns } = toTranscript({ messages: conversation(...deltas) });
    expect(turns).toMatchObject([
      { role: "user" },
      { role: "assistant", text, calls: [{ call: { id: "c" }, result: "sunny" }] },
    ]);
    expect(toOpenAI({ messages: conversation(...deltas) }).messages.at(-1)).toMatchObject({ role: "tool" });
  });

  it("keeps a text apart that says it continues a message which is not there", () => {
    const lost: Message = {
      id: "m",
      role: "assistant",
      content: "b",
      metadata: { "agrx.continues": "gone" },
    };
    expect(toTranscript({ messages: [user, lost] }).turns).toMatchObject([
      {},
      { role: "assistant", text: "b" },
    ]);
  });
});
