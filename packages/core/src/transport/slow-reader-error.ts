import { CodedError } from "../protocol/coded-error.js";

/**
 * A reader took so long that what waits for it has grown past the limit: the connection was closed, and the run
 * with it.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class SlowReaderError extends CodedError<"slow-reader", { readonly bufferedBytes: number }> {
  override readonly name = "SlowReaderError";
  /** Bytes that waited. */
  declare readonly bufferedBytes: number;

  constructor(bufferedBytes: number, maxBufferedBytes: number) {
    super(
      "slow-reader",
      `${bufferedBytes} bytes wait for a slow reader, more than maxBufferedBytes (${maxBufferedBytes}): closed.`,
      { bufferedBytes },
    );
  }
}
