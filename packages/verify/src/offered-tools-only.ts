import { OrderingError, quoteId, type AGUIEvent, type RunAgentInput } from "@agrx/core";
import type { MonoTypeOperatorFunction } from "rxjs";
import { checkEach } from "./order/check-each.js";

/**
 * Lets only calls of tools pass that the input offers: for an agent with no tools of its own.
 *
 * ```text
 * source:                   --s--a--x--|     x: starts a call of a tool that was not offered
 * offeredToolsOnly(input)
 * result:                   --s--a--#        OrderingError, rule "not-offered"
 * ```
 *
 * Stricter than the protocol, for which the names in the input are an offer and no list of what is allowed;
 * {@link verify} does not ask it. Looks at TOOL_CALL_START and at the TOOL_CALL_CHUNKs that have a name; the
 * event at fault is not passed on. Synchronous; completes and errors with the source.
 *
 * @param input - the run's input; without `tools` it offers none
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { events } from "@agrx/core";
 * import { offeredToolsOnly } from "@agrx/verify";
 *
 * of(events.toolCallStart({ toolCallId: "call-1", toolCallName: "rm" }))
 *   .pipe(offeredToolsOnly({ tools: [] }))
 *   .subscribe({ error: (error) => console.log(error.rule) }); // not-offered
 * ```
 */
export function offeredToolsOnly(
  input: Partial<Pick<RunAgentInput, "tools">>,
): MonoTypeOperatorFunction<AGUIEvent> {
  const offered = new Set(input.tools?.map(({ name }) => name));
  return checkEach(() => {
    let index = -1;
    return {
      observe(event) {
        index++;
        // Only the start of a call and its chunks have this field.
        const { toolCallName: name, toolCallId: id } = event as {
          toolCallName?: string;
          toolCallId?: string;
        };
        if (name === undefined || offered.has(name)) return;
        const offers = [...offered].slice(0, 5).map(quoteId).join(", ") || "none";
        const message = `${event.type} (event ${index}) calls tool ${quoteId(name)}, which the input does not offer (it offers: ${offers}). Call an offered tool.`;
        throw new OrderingError({ rule: "not-offered", event, index, id, open: [], message });
      },
      finish() {
        // A stream that stops is no matter of tools.
      },
    };
  });
}
