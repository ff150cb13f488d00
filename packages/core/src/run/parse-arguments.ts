import type { StandardSchemaV1 } from "@standard-schema/spec";
import { readArguments } from "../json/read-arguments.js";
import { quoteId } from "../protocol/quote-id.js";
import { describeIssues } from "../schema/describe-issues.js";
import { named } from "./bracket-kinds.js";
import { RunUsageError, type RunUsageErrorCode } from "./run-usage-error.js";

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
  const { id: toolCallId, name, text, ended } = call;
  const refuse = (code: RunUsageErrorCode, why: string): never => {
    throw new RunUsageError(
      code,
      `The arguments of ${named("toolCall", toolCallId)} (${quoteId(name)}) ${why}`,
      {
        toolCallId,
      },
    );
  };

  const reading = readArguments(text === "" && ended ? "{}" : text);
  if (reading.status !== "complete") {
    return refuse(`${reading.status}-arguments`, `are ${reading.status}: ${reading.message}`);
  }
  if (schema === undefined) return reading.value;

  const result = schema["~standard"].validate(reading.value);
  if ("then" in result) return refuse("async-schema", "need a schema that answers at once.");
  if (result.issues) return refuse("invalid-arguments", `are invalid: ${describeIssues(result.issues)}`);
  return result.value;
}
