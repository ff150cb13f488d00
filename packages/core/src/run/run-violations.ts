import { OrderingError, type RuleId } from "../protocol/ordering-error.js";
import { quoteId } from "../protocol/quote-id.js";
import type { AGUIEvent, EventOf, RunAgentInput } from "../protocol/vocabulary.js";
import { fieldOf, labelOf, openingTypes, rowOf } from "./bracket-kinds.js";
import type { Bracket } from "./bracket.js";

/** A closing event of what is not open. */
export function notOpen(event: AGUIEvent, index: number, open: readonly Bracket[]): OrderingError {
  const { kind = "run" } = rowOf(event) ?? {};
  return violation(
    "not-open",
    `${came(event, index)} closes ${subject(event)}, which is not open (open: ${listed(open)}). ` +
      `Send ${openingTypes[kind]} for it first, and close it once.`,
    { event, index, open },
  );
}

/** An opening event, by hand, of what is open. */
export function duplicateStart(event: AGUIEvent, index: number, open: readonly Bracket[]): OrderingError {
  return violation(
    "duplicate-start",
    `${came(event, index)} opens ${subject(event)}, which is open already. ` +
      "End it first, or give the new one an id of its own.",
    { event, index, open },
  );
}

/** A run that would finish with tool calls open which only their sender can end. */
export function openAtFinish(index: number, open: readonly Bracket[]): OrderingError {
  return violation(
    "open-at-finish",
    `The run would finish with ${listed(open)} open. A call that came as plain events is never ended for ` +
      "its sender, since an end says that its arguments are whole: send TOOL_CALL_END for it, or fail the run.",
    { index, open },
  );
}

/** A RUN_STARTED from inside a run. */
export function duplicateRunStarted(event: AGUIEvent, index: number): OrderingError {
  return violation(
    "duplicate-run-started",
    `${came(event, index)} came from inside the run, which sends its own. Leave it out.`,
    { event, index },
  );
}

/** A RUN_FINISHED of another run. */
export function runMismatch(
  event: EventOf<"RUN_FINISHED">,
  index: number,
  input: RunAgentInput,
): OrderingError {
  const named = (run: { runId: string; threadId: string }) =>
    `run ${quoteId(run.runId)} of thread ${quoteId(run.threadId)}`;
  return violation(
    "run-mismatch",
    `${came(event, index)} names ${named(event)}, but this is ${named(input)}. Send the ids of the run's input.`,
    { event, index },
  );
}

function violation(
  rule: RuleId,
  message: string,
  { event, index, open = [] }: { event?: AGUIEvent; index: number; open?: readonly Bracket[] },
): OrderingError {
  const id = event ? idOf(event) : open[0]?.id;
  const entities = open.map((bracket) => ({ kind: bracket.kind, id: bracket.id }));
  return new OrderingError({ rule, event, index, id, open: entities, message });
}

const idOf = (event: AGUIEvent) => fieldOf(event, rowOf(event)?.id ?? "");
const came = (event: AGUIEvent, index: number) => `${event.type} (event ${index})`;
const subject = (event: AGUIEvent) => `${labelOf(rowOf(event)?.kind ?? "run")} ${quoteId(idOf(event))}`;
const listed = (open: readonly Bracket[]) =>
  open.map(({ kind, id }) => `${labelOf(kind)} ${quoteId(id)}`).join(", ") || "nothing";
