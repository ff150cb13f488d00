import { aggregateTokenUsage } from "@ag-ui/core";
import { presentFields } from "../protocol/present-fields.js";
import { quoteId } from "../protocol/quote-id.js";
import type { InterruptRequest } from "../protocol/run-scope.js";
import {
  EventType,
  type EventOf,
  type Interrupt,
  type RunAgentInput,
  type RunFinishedOutcome,
  type TokenUsage,
} from "../protocol/vocabulary.js";
import type { RunEnding } from "./run-context.js";
import { RunUsageError } from "./run-usage-error.js";

/** What a run has been told about its end, and the terminal events made from it. */
export interface EndingNotes {
  note(ending?: RunEnding): void;
  addUsage(usage: TokenUsage): void;
  interrupt(request: InterruptRequest): Interrupt;
  /**
   * RUN_FINISHED as noted, or as the project's own one says.
   *
   * @throws RunUsageError `invalid-outcome` when the outcome cannot be sent
   */
  finished(pending: string[], own?: Partial<EventOf<"RUN_FINISHED">>): EventOf<"RUN_FINISHED">;
  /** RUN_FINISHED of a run that was stopped: it has no result. */
  cancelled(): EventOf<"RUN_FINISHED">;
  /** RUN_ERROR of a description, or as the project's own one says. */
  failed(own: Omit<EventOf<"RUN_ERROR">, "type">): EventOf<"RUN_ERROR">;
}

/** Makes the notes of one run. */
export function createEndingNotes(input: RunAgentInput, nextInterruptId: () => string): EndingNotes {
  const { threadId, runId } = input;
  const spent: TokenUsage[] = [];
  const interrupts: Interrupt[] = [];
  let noted: RunEnding = {};

  // The protocol package leaves labels that nobody gave as `undefined`.
  const usage = () => (spent.length > 0 ? aggregateTokenUsage(spent).map(presentFields) : undefined);

  function finish(ending: Partial<EventOf<"RUN_FINISHED">>): EventOf<"RUN_FINISHED"> {
    return presentFields({ type: EventType.RUN_FINISHED, threadId, runId, usage: usage(), ...ending });
  }

  function outcome(pending: string[], said: RunFinishedOutcome | undefined): RunFinishedOutcome | undefined {
    switch (said?.type) {
      case "cancelled":
        return said;
      case "interrupt":
        return { type: "interrupt", interrupts: joined(said.interrupts, interrupts) };
      case undefined:
      case "success":
        if (interrupts.length > 0) return { type: "interrupt", interrupts };
        if (pending.length === 0 || said?.pendingToolCallIds?.length) return said;
        return { type: "success", pendingToolCallIds: pending };
      default:
        throw invalid(`the outcome type ${quoteId((said as { type: unknown }).type)} is unknown`);
    }
  }

  return {
    note(ending = {}) {
      spent.push(...(ending.usage ?? []));
      noted = { ...noted, ...presentFields(ending) };
    },
    addUsage: (entry) => void spent.push(entry),
    interrupt(request) {
      const interrupt: Interrupt = { ...request, id: request.id ?? nextInterruptId() };
      if (interrupts.some(({ id }) => id === interrupt.id)) {
        throw invalid(`interrupt ${quoteId(interrupt.id)} is raised twice`);
      }
      interrupts.push(interrupt);
      return interrupt;
    },
    finished: (pending, own = {}) =>
      finish({
        result: noted.result,
        ...presentFields(own),
        outcome: outcome(pending, own.outcome ?? noted.outcome),
      } as Partial<EventOf<"RUN_FINISHED">>),
    cancelled: () => finish({ outcome: { type: "cancelled" } }),
    failed: (own) => presentFields({ type: EventType.RUN_ERROR, usage: usage(), ...own }),
  };
}

/** The interrupts that the outcome names, then those that were only noted. */
function joined(said: readonly Interrupt[], noted: readonly Interrupt[]): Interrupt[] {
  const ids = new Set(said.map(({ id }) => id));
  if (ids.size < said.length) throw invalid("an interrupt outcome repeats an id");
  const all = [...said, ...noted.filter(({ id }) => !ids.has(id))];
  if (all.length === 0) throw invalid("an interrupt outcome names no interrupt");
  return all;
}

const invalid = (reason: string) =>
  new RunUsageError("invalid-outcome", `The run cannot end like this: ${reason}.`);
