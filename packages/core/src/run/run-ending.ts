import { aggregateTokenUsage } from "@ag-ui/core";
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
import { InvalidOutcomeError } from "./invalid-outcome-error.js";
import type { RunEnding } from "./run-context.js";

/** What a run has been told about its end, and the terminal events made from it. */
export interface EndingNotes {
  note(ending?: RunEnding): void;
  addUsage(usage: TokenUsage): void;
  interrupt(request: InterruptRequest): Interrupt;
  /**
   * RUN_FINISHED as noted, or as the project's own one says.
   *
   * @throws InvalidOutcomeError when the outcome cannot be sent
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
  const usage: TokenUsage[] = [];
  const interrupts: Interrupt[] = [];
  let noted: RunEnding = {};

  const reported = () => (usage.length > 0 ? { usage: aggregateTokenUsage(usage).map(withoutAbsent) } : {});

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
        throw new InvalidOutcomeError(
          `the outcome type ${quoteId((said as { type: unknown }).type)} is unknown`,
        );
    }
  }

  return {
    note(ending = {}) {
      usage.push(...(ending.usage ?? []));
      noted = {
        outcome: ending.outcome ?? noted.outcome,
        result: ending.result === undefined ? noted.result : ending.result,
      };
    },
    addUsage: (entry) => void usage.push(entry),
    interrupt(request) {
      const interrupt: Interrupt = { ...request, id: request.id ?? nextInterruptId() };
      if (interrupts.some(({ id }) => id === interrupt.id)) {
        throw new InvalidOutcomeError(`interrupt ${quoteId(interrupt.id)} is raised twice`);
      }
      interrupts.push(interrupt);
      return interrupt;
    },
    finished(pending, own = {}) {
      const ending = outcome(pending, own.outcome ?? noted.outcome);
      const result: unknown = own.result === undefined ? noted.result : own.result;
      return {
        type: EventType.RUN_FINISHED,
        threadId,
        runId,
        ...reported(),
        ...own,
        ...(ending !== undefined && { outcome: ending }),
        ...(result !== undefined && { result }),
      };
    },
    cancelled: () => ({
      type: EventType.RUN_FINISHED,
      threadId,
      runId,
      ...reported(),
      outcome: { type: "cancelled" },
    }),
    failed: (own) => ({ type: EventType.RUN_ERROR, ...reported(), ...own }),
  };
}

/** The interrupts that the outcome names, then those that were only noted. */
function joined(said: readonly Interrupt[], noted: readonly Interrupt[]): Interrupt[] {
  const ids = new Set(said.map(({ id }) => id));
  if (ids.size < said.length) throw new InvalidOutcomeError("an interrupt outcome repeats an id");
  const all = [...said, ...noted.filter(({ id }) => !ids.has(id))];
  if (all.length === 0) throw new InvalidOutcomeError("an interrupt outcome names no interrupt");
  return all;
}

/** The protocol package leaves labels that nobody gave as `undefined`; on the wire they are absent. */
function withoutAbsent(entry: TokenUsage): TokenUsage {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}
