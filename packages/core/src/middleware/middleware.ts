import { defer, from, type Observable, type ObservableInput } from "rxjs";
import type { AGUIEvent, RunAgentInput } from "../protocol/vocabulary.js";

/** Anything that makes a run of an input: an agent, `connect(...)`, or either behind middleware. */
export type RunHandler = (input: RunAgentInput) => Observable<AGUIEvent>;

/**
 * Stands around a run: may change the input, the events, or answer itself. One that only looks at the events
 * is simpler as an operator.
 */
export type Middleware = (input: RunAgentInput, next: RunHandler) => ObservableInput<AGUIEvent>;

/**
 * Puts middleware around a run handler; the first stands outermost.
 *
 * Cold: middleware is called once a subscription. What it throws is the stream's error.
 *
 * @param handler - makes the run, such as an agent
 * @param middleware - each calls `next(input)` for what stands inside it, or not
 *
 * @example
 * ```ts
 * import { run } from "@agrx/core";
 * import { withMiddleware, type Middleware } from "@agrx/core/middleware";
 *
 * const polite: Middleware = (input, next) => next({ ...input, runId: `${input.runId}-polite` });
 * const handler = withMiddleware((input) => run(input, (ctx) => ctx.text(ctx.runId)), polite);
 * handler({ threadId: "t", runId: "r", messages: [], tools: [], context: [] }).subscribe((event) => {
 *   if ("delta" in event) console.log(event.delta); // r-polite
 * });
 * ```
 */
export function withMiddleware(handler: RunHandler, ...middleware: readonly Middleware[]): RunHandler {
  return middleware.reduceRight<RunHandler>(
    (next, around) => (input) => defer(() => from(around(input, next))),
    handler,
  );
}
