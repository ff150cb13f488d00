import { Observable } from "rxjs";
import type { AGUIEvent, RunAgentInput } from "../protocol/vocabulary.js";
import { createStatePublisher } from "../state/state-publisher.js";
import { createRunContext } from "./create-run-context.js";
import { createRunSession } from "./create-run-session.js";
import { projectEvents } from "./project-events.js";
import type { RunOptions, RunProject } from "./run-options.js";

/**
 * Makes a whole AG-UI run of what an agent does: RUN_STARTED, the project's events, one terminal event.
 *
 * ```text
 * project:                      --T--c--c--e--|
 * run(input, project)
 * result:                    S----T--c--c--e--(F|)
 *
 * project:                      --T--c--#
 * result:                    S----T--c--(eE|)      S: RUN_STARTED, F: RUN_FINISHED, E: RUN_ERROR
 * ```
 *
 * Cold: nothing happens before subscription, and each subscription is a run of its own with the same ids.
 * The project gives events as an Observable, or drives handles as an async function; both may be mixed. What
 * builders and handles left open is closed before the terminal event, innermost first.
 *
 * It always completes after exactly one terminal event and never errors: an error of the project, of the
 * guard or of the order of closing events becomes RUN_ERROR with the error's `message` and `code`. Calls that
 * nobody answered are the client's: RUN_FINISHED names them in `outcome.pendingToolCallIds`. A terminal event
 * of the project becomes the run's. A tool call that came as plain events is never ended for its sender: if
 * it is still open at the end, the run fails with `open-at-finish`.
 *
 * Unsubscribing aborts `ctx.signal` synchronously, leaves the project and the guard, and sends nothing more;
 * `options.stop` ends the run politely with the outcome `cancelled`.
 *
 * @param input - what the client asked for; its ids are the run's
 * @param project - the body of the run; called once a subscription, after RUN_STARTED
 * @param options - see {@link RunOptions}
 *
 * @example
 * ```ts
 * import { run } from "@agrx/core";
 *
 * const input = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };
 *
 * run(input, (ctx) => ctx.text("Hello")).subscribe((event) => console.log(event.type)); // RUN_STARTED, TEXT_MESSAGE_START, TEXT_MESSAGE_CONTENT, TEXT_MESSAGE_END, RUN_FINISHED
 * ```
 *
 * @example
 * ```ts
 * import { run } from "@agrx/core";
 *
 * const input = { threadId: "t", runId: "r", messages: [], tools: [], context: [] };
 *
 * run(input, async (ctx) => {
 *   const call = ctx.openToolCall("get_weather");
 *   call.args('{"city":');
 *   call.args('"Seoul"}');
 *   console.log(call.parseArgs<{ city: string }>().city); // Seoul
 *   console.log(call.resultJson({ celsius: 21 })); // r-msg-1
 * }).subscribe();
 * ```
 */
export function run<State = unknown>(
  input: RunAgentInput,
  project: RunProject<State>,
  options: RunOptions<State> = {},
): Observable<AGUIEvent> {
  return new Observable((subscriber) => {
    const { stateSchema: schema } = options;
    const session = createRunSession(input, options, subscriber);
    const state = createStatePublisher<State>(input.state as State, schema && { schema });
    const ctx = createRunContext(input, session, state);
    session.start(() => projectEvents(project(ctx), (outcome) => ctx.end({ outcome })));
  });
}
