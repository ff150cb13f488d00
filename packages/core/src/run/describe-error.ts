import { presentFields } from "../protocol/present-fields.js";
import type { ErrorDescription } from "./run-options.js";

/** What RUN_ERROR and SUBAGENT_ERROR say. */
export interface Description {
  readonly message: string;
  readonly code?: string;
}

const undescribed: Description = { message: "The run failed." };

/** Words for an error: what the option says, else the error's own `message` and `rule` or `code`. */
export function describeError(
  error: unknown,
  describe: ((error: unknown) => ErrorDescription) | undefined,
): Description {
  if (describe === undefined) return ownDescription(error);
  try {
    const { message, code } = describe(error);
    return presentFields({ message, code });
  } catch {
    return undescribed; // the option is there to keep the error's own words back
  }
}

function ownDescription(error: unknown): Description {
  if (typeof error === "string") return { message: error };
  const { message, rule, code } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const name = rule ?? code;
  return {
    message: typeof message === "string" ? message : undescribed.message,
    ...((typeof name === "string" || typeof name === "number") && { code: String(name) }),
  };
}
