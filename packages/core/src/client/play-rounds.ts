import { catchError, concat, defer, map, mergeMap, of, type Observable } from "rxjs";
import { expandChunks } from "../operators/expand-chunks.js";
import { presentFields } from "../protocol/present-fields.js";
import type { RunAgentInput } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { describeError } from "../run/describe-error.js";
import { answerClientTools, type AnswerClientToolsOptions } from "../tools/answer-client-tools.js";
import type { ExecutableTool } from "../tools/tool.js";
import { scanRun } from "../views/scan-run.js";
import type { Connection } from "./connect.js";
import { failedView, openingView, withMessages, type ConversationView } from "./conversation-view.js";

/** How {@link playRounds} goes on. */
export interface RoundsOptions<State> extends AnswerClientToolsOptions, WarningOptions {
  readonly tools: readonly ExecutableTool[];
  readonly maxRounds: number;
  /** The input of the run that follows. */
  readonly next: (view: ConversationView<State>) => RunAgentInput;
}

/**
 * Runs an input, answers the calls that the run left to the client, runs the input with the answers, and so forth
 * until no call is open. Never errors: the last view says what failed, and is the only one that is not busy.
 */
export function playRounds<State>(
  connection: Connection,
  options: RoundsOptions<State>,
): (input: RunAgentInput) => Observable<ConversationView<State>> {
  type View = ConversationView<State>;
  const { tools, maxRounds, next, onWarning } = options;
  const warnings = presentFields({ onWarning });

  const play = (input: RunAgentInput, round: number): Observable<View> =>
    defer(() => {
      let view: View = openingView(input);
      const run$ = connection(sendable(input)).pipe(
        expandChunks(warnings),
        scanRun<State>({ messages: view.messages, state: view.state }, warnings),
        map((run) => (view = { ...run, threadId: input.threadId, busy: true })),
      );
      const after$ = defer(() => goOn(view, round));
      return concat(of(view), run$, after$).pipe(
        catchError((error: unknown) => of(failedView(view, describeError(error, undefined)))),
      );
    });

  const goOn = (view: View, round: number): Observable<View> => {
    if (view.status === "running") return of(failedView(view, truncated));
    if (view.status !== "finished" && view.status !== "interrupted") return of({ ...view, busy: false });
    return answerClientTools(view, tools, options).pipe(
      mergeMap((answers) => {
        const answered = answers.length === 0 ? view : withMessages(view, answers);
        if (answered === view || view.status === "interrupted") return of({ ...answered, busy: false });
        if (round >= maxRounds) return of(failedView(answered, tooManyRounds(maxRounds)));
        return play(next(answered), round + 1);
      }),
    );
  };

  return (input) => play(input, 1);
}

/** Activity messages are the client's own: they stay in the view and never travel back. */
const sendable = (input: RunAgentInput): RunAgentInput => ({
  ...input,
  messages: input.messages.filter(({ role }) => role !== "activity"),
});

const truncated = {
  message: "The run was cut. Send the message again.",
  code: "truncated",
};

const tooManyRounds = (maxRounds: number) => ({
  message: `The agent called tools in ${maxRounds} runs in a row. Send a message to go on, or raise maxRounds.`,
  code: "max-rounds",
});
