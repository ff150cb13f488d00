import { OrderingError, type OpenEntity } from "../protocol/ordering-error.js";
import { quoteId } from "../protocol/quote-id.js";
import type { AGUIEvent, EventOf, RunAgentInput } from "../protocol/vocabulary.js";
import { fieldOf, labelOf, openingTypes, rowOf } from "./bracket-kinds.js";
import type { Bracket } from "./bracket-table.js";

/** A closing event of what is not open. */
export function notOpen(event: AGUIEvent, index: number, open: readonly Bracket[]): OrderingError {
  const { kind = "run", id: field = "" } = rowOf(event) ?? {};
  const id = fieldOf(event, field);
  const entity = `${labelOf(kind)} ${quoteId(id)}`;
  return new OrderingError({
    rule: "not-open",
    event,
    index,
    id,
    open: entities(open),
    message:
      `${event.type} (event ${index}) closes ${entity}, which is not open (open: ${listed(open)}). ` +
      `Send ${openingTypes[kind]} for it first, and close it once.`,
  });
}

/** An opening event, by hand, of what is open. */
export function duplicateStart(event: AGUIEvent, index: number, open: readonly Bracket[]): OrderingError {
  const { kind = "run", id: field = "" } = rowOf(event) ?? {};
  const id = fieldOf(event, field);
  return new OrderingError({
    rule: "duplicate-start",
    event,
    index,
    id,
    open: entities(open),
    message:
      `${event.type} (event ${index}) opens ${labelOf(kind)} ${quoteId(id)}, which is open already. ` +
      "End it first, or give the new one an id of its own.",
  });
}

/** A run that would finish with tool calls open which only their sender can end. */
export function openAtFinish(index: number, open: readonly Bracket[]): OrderingError {
  return new OrderingError({
    rule: "open-at-finish",
    event: undefined,
    index,
    id: open[0]?.id,
    open: entities(open),
    message:
      `The run would finish with ${listed(open)} open. A call that came as plain events is never ended for ` +
      "its sender, since an end says that its arguments are whole: send TOOL_CALL_END for it, or fail the run.",
  });
}

/** A RUN_STARTED from inside a run. */
export function duplicateRunStarted(event: AGUIEvent, index: number): OrderingError {
  return new OrderingError({
    rule: "duplicate-run-started",
    event,
    index,
    id: fieldOf(event, "runId"),
    open: [],
    message:
      `RUN_STARTED (event ${index}) came from inside the run, which sends its own. ` +
      "Leave it out, or send the other run's events without their RUN_STARTED.",
  });
}

/** A RUN_FINISHED of another run. */
export function runMismatch(
  event: EventOf<"RUN_FINISHED">,
  index: number,
  { threadId, runId }: RunAgentInput,
): OrderingError {
  return new OrderingError({
    rule: "run-mismatch",
    event,
    index,
    id: event.runId,
    open: [],
    message:
      `RUN_FINISHED (event ${index}) names run ${quoteId(event.runId)} of thread ${quoteId(event.threadId)}, ` +
      `but this is run ${quoteId(runId)} of thread ${quoteId(threadId)}. Send the ids of the run's input.`,
  });
}

function entities(open: readonly Bracket[]): OpenEntity[] {
  return open.map(({ kind, id }) => ({ kind, id }));
}

function listed(open: readonly Bracket[]): string {
  return open.map(({ kind, id }) => `${labelOf(kind)} ${quoteId(id)}`).join(", ") || "nothing";
}
