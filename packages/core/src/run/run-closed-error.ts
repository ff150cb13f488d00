/**
 * A handle or builder was used after its run's terminal event.
 *
 * Know it by its `code`. The usual cause is work that outlives the run: let it end at `ctx.signal`.
 */
export class RunClosedError extends Error {
  override readonly name = "RunClosedError";
  readonly code = "run-closed";
  readonly runId: string;

  constructor(runId: string) {
    super(
      `Run "${runId}" has ended: nothing can be sent into it any more. ` +
        "Await what still works, or stop it when ctx.signal aborts.",
    );
    this.runId = runId;
  }
}
