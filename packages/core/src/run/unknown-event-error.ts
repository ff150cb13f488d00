import { quoteId } from "../protocol/quote-id.js";

/** Something was sent into a run that is no event of the protocol. Know it by its `code`. */
export class UnknownEventError extends Error {
  override readonly name = "UnknownEventError";
  readonly code = "unknown-event";

  constructor(came: unknown) {
    const type = (came as { readonly type?: unknown } | null | undefined)?.type;
    super(
      `A run was given something of type ${quoteId(type)}, which is no AG-UI event. ` +
        "Send private signals as CUSTOM or RAW.",
    );
  }
}
