import { createJsonAccumulator, type JsonAccumulator } from "../json/json-accumulator.js";
import type { Metadata } from "../protocol/vocabulary.js";
import type { ToolCall } from "../tools/tool-call.js";

/** Whether a call's input is free text, as the one who sent it marked it. */
export const isCustom = (metadata: Metadata | undefined): boolean => metadata?.["agrx.custom"] === true;

/** What a call says when the provider ran it itself, as the one who sent it marked it. */
export const ranBy = (metadata: Metadata | undefined): Pick<ToolCall, "providerExecuted"> =>
  metadata?.["agrx.providerExecuted"] === true ? { providerExecuted: true } : {};

/** What the arguments of a call that has ended are; `json` has read them already. */
export function settleArguments(
  text: string,
  metadata: Metadata | undefined,
  json?: JsonAccumulator,
): Pick<ToolCall, "args" | "status"> {
  if (isCustom(metadata)) return { args: text, status: "complete" };
  if (text.trim() === "") return { args: {}, status: "complete" };
  if (json === undefined) {
    json = createJsonAccumulator();
    json.push(text);
  }
  const status = json.end()?.code ?? "complete";
  return { args: json.value, status };
}
