import { createPartialReader } from "../json/partial-reader.js";
import type { MessageToolCall, Metadata } from "../protocol/vocabulary.js";
import type { ToolCall } from "../tools/tool-call.js";

/** Whether a call's input is free text, as the one who sent it marked it. */
export const isCustom = ({ metadata }: { metadata?: Metadata }): boolean =>
  metadata?.["agrx.custom"] === true;

/** Whether the provider ran the call itself, as the one who sent it marked it. */
export const isProviderExecuted = ({ metadata }: { metadata?: Metadata }): boolean =>
  metadata?.["agrx.providerExecuted"] === true;

/** What the arguments of a call that has ended are; `reader` has read them already. */
export function settleArguments(
  call: Pick<MessageToolCall, "function" | "metadata">,
  reader?: ReturnType<typeof createPartialReader>,
): Pick<ToolCall, "args" | "status"> {
  const text = call.function.arguments;
  if (isCustom(call)) return { args: text, status: "complete" };
  if (text.trim() === "") return { args: {}, status: "complete" };
  if (reader === undefined) {
    reader = createPartialReader();
    reader.push(text);
  }
  const code = reader.json.end()?.code;
  const status = code === undefined ? "complete" : code === "json-incomplete" ? "incomplete" : "invalid";
  return { args: reader.json.value, status };
}
