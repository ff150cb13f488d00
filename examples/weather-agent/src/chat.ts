import {
  answerClientTools,
  connect,
  expandChunks,
  scanRun,
  toProtocolTool,
  type AGUIEvent,
  type Message,
  type RunView,
} from "@agrx/core";
import { verify } from "@agrx/verify";
import { concat, defer, EMPTY, from, mergeMap, tap, type Observable } from "rxjs";
import { clientTools } from "./tools.js";

/**
 * The client's side: sends the question, follows the run, runs its own tools when the run has left their
 * calls open, and sends the answers in a second run.
 *
 * @param url the agent's address
 * @param question what the user asks
 * @param onEvent receives each event exactly as it came over HTTP
 */
export function chat(
  url: string,
  question: string,
  onEvent: (event: AGUIEvent) => void = () => undefined,
): Observable<RunView> {
  const request = connect({ url });
  const threadId = "thread-1";

  const round = (messages: readonly Message[], number: number): Observable<RunView> =>
    defer(() => {
      let view: RunView | undefined;
      const input = {
        threadId,
        runId: `run-${number}`,
        messages: [...messages],
        tools: clientTools.map(toProtocolTool),
        context: [],
      };
      const views$ = request(input).pipe(
        tap(onEvent),
        expandChunks(),
        verify(),
        scanRun({ messages }),
        tap((next) => (view = next)),
      );
      return concat(
        views$,
        defer(() => (view?.status === "finished" ? answered(view, number) : EMPTY)),
      );
    });

  const answered = (view: RunView, number: number): Observable<RunView> =>
    from(answerClientTools(view, clientTools)).pipe(
      mergeMap((answers) => (answers.length > 0 ? round([...view.messages, ...answers], number + 1) : EMPTY)),
    );

  return round([{ id: "user-1", role: "user", content: question }], 1);
}
