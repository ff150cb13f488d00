import type { RunAgentInput } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { createFindings, describe } from "./findings.js";
import { InvalidInputError } from "./invalid-input-error.js";
import { isObject } from "./shape.js";
import { runAgentInput } from "./shapes.generated.js";
import { versionDoubt } from "./spoken-version.js";

/**
 * Makes a run input of what a client sent: a server's answer to an {@link InvalidInputError} is the status 400.
 *
 * Members that the protocol does not describe are taken away with a warning, and the run goes on; a known
 * member of the wrong type or shape is an error. `tools` and `context` are empty lists where they were left
 * out; a `state` that is null is absent. The warnings' codes are those of {@link parseEvents}.
 *
 * @experimental
 * @param json - the request's body: JSON text, or the value that it stands for
 * @param options - `onWarning`: receives each warning; by default they are dropped
 * @throws InvalidInputError when the text is no JSON or a known member is malformed, with its `path`. Neither
 * its message nor its fields hold anything of the payload.
 *
 * @example
 * ```ts
 * import { parseRunInput } from "@agrx/core";
 *
 * const input = parseRunInput({ threadId: "t", runId: "r", messages: [] });
 * console.log(input.tools.length); // 0
 * try {
 *   parseRunInput({ threadId: "t", runId: "r", messages: [{ id: "m", role: "user" }] });
 * } catch (error) {
 *   console.log((error as Error & { path: string }).path); // messages.0.content
 * }
 * ```
 */
export function parseRunInput(json: unknown, { onWarning }: WarningOptions = {}): RunAgentInput {
  const value = typeof json === "string" ? parseJson(json) : json;
  if (!isObject(value)) return refuse("", `must be an object, but is ${describe(value)}`);
  const findings = createFindings();
  const input = runAgentInput(value, findings, undefined) as RunAgentInput;
  const warn = (code: string, path: string, what: string) =>
    onWarning?.({ code, path, message: `The run input's ${path} ${what}.` });
  for (const { code, path, message } of findings.removed) warn(code, path, message);
  if (findings.malformed !== undefined) refuse(findings.malformed.path, findings.malformed.message);
  const doubt = input.protocolVersion === undefined ? undefined : versionDoubt(input.protocolVersion);
  if (doubt !== undefined) warn("protocol-version", "protocolVersion", doubt);
  return input;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The engine's own message quotes the payload.
    return refuse("", "is no JSON");
  }
}

function refuse(path: string, what: string): never {
  const where = path === "" ? "The run input" : `The run input's ${path}`;
  throw new InvalidInputError(`${where} ${what}. Send a RunAgentInput as the protocol describes it.`, path);
}
