import type { CallPart, CallTracker } from "../calls/call-tracker.js";
import type { EmitDelta, ToolResultDelta } from "../delta.js";

/** What a result is beside its value. */
export type ResultFields = Partial<Pick<ToolResultDelta, "isError" | "content" | "metadata">>;

/** Calls of tools that the provider runs itself, until their results come. */
export interface HostedCalls {
  /** Begins a call, whose result will name its id. */
  start(part: CallPart & { readonly slot: string | number }, emit: EmitDelta): void;
  /** Gives the result of a call, after its end. */
  result(id: string, result: unknown, fields: ResultFields, emit: EmitDelta): void;
}

/** Follows the calls of tools that the provider runs, beside those that the tracker follows. */
export function createHostedCalls(calls: CallTracker): HostedCalls {
  const keys = new Map<string, string>();
  return {
    start(part, emit) {
      calls.part({ ...part, settled: true, providerExecuted: true }, emit);
      const call = calls.open(part.slot);
      if (call?.id !== undefined) keys.set(call.id, call.key);
    },
    result(id, result, fields, emit) {
      calls.settle(emit);
      emit({ type: "tool-result", key: keys.get(id) ?? id, id, result, ...fields });
      keys.delete(id);
    },
  };
}
