import type { StandardSchemaV1 } from "@standard-schema/spec";
import { defer, from, map, of, type Observable } from "rxjs";
import { readArguments } from "../json/read-arguments.js";
import { describeIssues } from "../schema/describe-issues.js";
import type { ExecutableTool } from "./tool.js";
import { reasonOf, ToolError } from "./tool-error.js";

/**
 * The arguments of an ended call, as the tool's schema gives them; errors with a {@link ToolError}.
 *
 * Synchronous where the schema is. No text at all is `{}`: the call's end says that it is whole.
 */
export function readToolArguments(tool: ExecutableTool, callId: string, text: string): Observable<unknown> {
  const refuse = (reason: string): never => {
    const mend = "Call it again with arguments that fit its parameters.";
    throw new ToolError("invalid-arguments", `The arguments of ${tool.name} are invalid: ${reason} ${mend}`, {
      toolCallId: callId,
    });
  };
  const accept = (result: StandardSchemaV1.Result<unknown>): unknown =>
    result.issues ? refuse(sentence(reasonOf(describeIssues(result.issues)))) : result.value;

  return defer(() => {
    const reading =
      tool.jsonSchema["type"] === "string"
        ? ({ status: "complete", value: text } as const)
        : readArguments(text === "" ? "{}" : text);
    if (reading.status !== "complete") return refuse(sentence(reading.message));
    const result = (tool.parameters as StandardSchemaV1)["~standard"].validate(reading.value);
    return "then" in result ? from(result).pipe(map(accept)) : of(accept(result));
  });
}

const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);
