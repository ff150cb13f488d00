import { parseRunInput } from "../boundary/parse-run-input.js";
import { spokenVersion } from "../boundary/spoken-version.js";
import type { RunAgentInput } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";

/** How an input is made ready to be sent. */
export interface OutgoingInputOptions extends WarningOptions {
  /**
   * Whether the input declares the protocol version that agrx speaks, 1.1, where it names none itself. Default
   * true; false for an agent from before the field, which might refuse it.
   */
  readonly declareVersion?: boolean;
}

/**
 * An input as the protocol lets it leave: without unknown members, each with a warning, and without activity
 * messages, which are the client's own. Throws {@link InvalidInputError} at a malformed member.
 */
export function outgoingInput(
  input: RunAgentInput,
  { declareVersion = true, ...warnings }: OutgoingInputOptions = {},
): RunAgentInput {
  const known = parseRunInput(input, warnings);
  return {
    ...(declareVersion && { protocolVersion: spokenVersion }),
    ...known,
    messages: known.messages.filter(({ role }) => role !== "activity"),
  };
}
