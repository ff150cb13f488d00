import type { StandardSchemaV1 } from "@standard-schema/spec";
import { readArguments } from "../json/read-arguments.js";
import { quoteId } from "../protocol/quote-id.js";
import { describeIssues } from "../schema/describe-issues.js";
import { AsyncSchemaError, IncompleteArgumentsError, InvalidArgumentsError } from "./arguments-error.js";

/** A call whose arguments are read. */
export interface ArgumentsOf {
  readonly id: string;
  readonly name: string;
  /** The text so far. */
  readonly text: string;
  /** Whether no more text can come: then none at all is `{}`. */
  readonly ended: boolean;
}

/** The value of a call's arguments, as `OpenToolCall.parseArgs` says. */
export function parseArguments(call: ArgumentsOf, schema?: StandardSchemaV1): unknown {
  const label = `tool call ${quoteId(call.id)} (${quoteId(call.name)})`;
  const reading = readArguments(call.text === "" && call.ended ? "{}" : call.text);
  if (reading.status !== "complete") {
    const { status, message } = reading;
    throw status === "incomplete"
      ? new IncompleteArgumentsError(label, message, call.id)
      : new InvalidArgumentsError(label, message, call.id);
  }
  if (schema === undefined) return reading.value;

  const result = schema["~standard"].validate(reading.value);
  if ("then" in result) throw new AsyncSchemaError(label);
  if (result.issues) throw new InvalidArgumentsError(label, describeIssues(result.issues), call.id);
  return result.value;
}
