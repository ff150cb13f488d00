import { quoteId } from "../protocol/quote-id.js";
import type { ResumeEntry, RunAgentInput } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";

/** The client's answers to interrupts of an earlier run. */
export interface ResumeEntries {
  resumeFor(interruptId: string): ResumeEntry | undefined;
  /** Warns of each entry that no part of the run asked for: an answer to an unknown interrupt. */
  warnOfUnknown(): void;
}

/** Reads the input's resume entries; the first entry for an interrupt counts. */
export function createResumeEntries(input: RunAgentInput, { onWarning }: WarningOptions): ResumeEntries {
  const asked = new Set<string>();
  return {
    resumeFor(interruptId) {
      asked.add(interruptId);
      return input.resume?.find((entry) => entry.interruptId === interruptId);
    },
    warnOfUnknown() {
      input.resume?.forEach(({ interruptId }, position) => {
        if (asked.has(interruptId)) return;
        onWarning?.({
          code: "unknown-resume",
          id: interruptId,
          path: `resume.${position}`,
          message: `No part of the run asked for interrupt ${quoteId(interruptId)}: its answer was ignored.`,
        });
      });
    },
  };
}
