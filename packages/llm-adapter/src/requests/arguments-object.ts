import { readArguments, type MessageToolCall } from "@agrx/core";

/**
 * A call's arguments as the object that a provider wants back.
 *
 * Text that is no JSON object stands under `input`, so that one bad call in the history does not make
 * every later request fail (ag-ui-protocol/ag-ui#2568).
 */
export function argumentsObject(call: MessageToolCall): Record<string, unknown> {
  const text = call.function.arguments;
  if (text === "") return {};
  const read = readArguments(text);
  if (read.status !== "complete") return { input: text };
  const { value } = read;
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : { input: value };
}
