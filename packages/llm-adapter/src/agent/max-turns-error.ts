/** An agent asked its model as often as it may, and the model still wanted to go on. */
export class MaxTurnsError extends Error {
  override readonly name = "MaxTurnsError";
  readonly code = "max-turns";

  constructor(readonly maxTurns: number) {
    super(
      `The agent stopped after ${maxTurns} turns with the model asking for more. ` +
        "Raise maxTurns, or tell the model in its instructions when it is done.",
    );
  }
}
