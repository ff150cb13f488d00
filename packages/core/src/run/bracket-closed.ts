import { named } from "./bracket-kinds.js";
import type { Bracket } from "./bracket.js";
import { RunUsageError } from "./run-usage-error.js";

/** A call, message, reasoning or step was used after its end; `use` says how. */
export function bracketClosed({ kind, id }: Bracket, use: string): RunUsageError {
  return new RunUsageError(
    "bracket-closed",
    `${use} of ${named(kind, id)} came after its end. Open another one.`,
    {
      id,
    },
  );
}
