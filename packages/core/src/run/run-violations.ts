import { OrderingError, type RuleId } from "../protocol/ordering-error.js";
import { quoteId } from "../protocol/quote-id.js";
import type { AGUIEvent, EventOf, RunAgentInput } from "../protocol/vocabulary.js";
import { fieldOf, named, openingTypes, rowOf } from "./bracket-kinds.js";
import type { Bracket } from "./bracket.js";
import { RunUsageError } from "./run-usage-error.js";

/** A closing event of what is not open. */
export function notOpen(event: AGUIEvent, index: number, open: readonly Bracket[]): OrderingError {
  const { kind = "run" } = rowOf(event) ?? {};
  return violation(
    "not-open",
    `closes ${subject(event)}, which is not open (open: ${listed(open)}). Send ${openingTypes[kind]} first.`,
    { event, index, open },
  );
}

/** An opening event, by hand, of what is open. */
export function duplicateStart(event: AGUIEvent, index: number, open: readonly Bracket[]): OrderingError {
  return violation("duplicate-start", `opens ${subject(event)}, which is open already. End it first.`, {
    event,
    index,
    open,
  });
}

/** A run that would finish with tool calls open which only their sender can end. */
export function openAtFinish(index: number, open: readonly Bracket[]): OrderingError {
  return violation(
    "open-at-finish",
    `would leave ${listed(open)} open, which came as plain events: only their sender knows that their arguments ` +
      "are whole. Send TOOL_CALL_END, or fail the run.",
    { index, open },
  );
}

/** A RUN_STARTED from inside a run. */
export function duplicateRunStarted(event: AGUIEvent, index: number): OrderingError {
  return violation("duplicate-run-started", "came from inside the run, which sends its own. Leave it out.", {
    event,
    index,
  });
}

/** A RUN_FINISHED of another run. */
export function runMismatch(
  event: EventOf<"RUN_FINISHED">,
  index: number,
  input: RunAgentInput,
): OrderingError {
  const ids = (run: { runId: string; threadId: string }) =>
    `run ${quoteId(run.runId)} of thread ${quoteId(run.threadId)}`;
  return violation("run-mismatch", `ends ${ids(event)}, but this is ${ids(input)}.`, { event, index });
}

/** Something that is no event of the protocol. */
export function unknownEvent(came: { readonly type?: unknown } | null | undefined): RunUsageError {
  return new RunUsageError(
    "unknown-event",
    `Something of type ${quoteId(came?.type)} is no AG-UI event. Send private signals as CUSTOM or RAW.`,
  );
}

function violation(
  rule: RuleId,
  what: string,
  { event, index, open = [] }: { event?: AGUIEvent; index: number; open?: readonly Bracket[] },
): OrderingError {
  const id = event ? idOf(event) : open[0]?.id;
  const message = `${event?.type ?? "RUN_FINISHED"} (event ${index}) ${what}`;
  return new OrderingError({
    rule,
    event,
    index,
    id,
    open: open.map((bracket) => ({ kind: bracket.kind, id: bracket.id })),
    message,
  });
}

const idOf = (event: AGUIEvent) => fieldOf(event, rowOf(event)?.id ?? "");
const subject = (event: AGUIEvent) => named(rowOf(event)?.kind ?? "run", idOf(event));
const listed = (open: readonly Bracket[]) =>
  open.map(({ kind, id }) => named(kind, id)).join(", ") || "nothing";
