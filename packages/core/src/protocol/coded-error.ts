/** What every error of agrx is: known by its `code`, with facts beside its message. */
export abstract class CodedError<Code extends string, Facts extends object = object> extends Error {
  declare readonly code: Code;

  /**
   * @param code - stable name of what is wrong
   * @param message - what came, what was expected and what to do
   * @param facts - become properties of the error; `cause` is what any error's `cause` is
   */
  constructor(code: Code, message: string, facts?: Facts & ErrorOptions) {
    super(message, facts);
    Object.assign(this, { code }, facts);
  }
}
