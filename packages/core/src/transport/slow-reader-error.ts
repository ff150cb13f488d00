/**
 * A reader took so long that what waits for it has grown past the limit: the connection was closed, and the run
 * with it.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class SlowReaderError extends Error {
  override readonly name = "SlowReaderError";
  readonly code = "slow-reader";
  /** Bytes that waited. */
  readonly bufferedBytes: number;

  constructor(bufferedBytes: number, maxBufferedBytes: number) {
    super(
      `${bufferedBytes} bytes waited for a slow reader, more than ${maxBufferedBytes}. The connection was closed; raise maxBufferedBytes if such bursts are to be expected.`,
    );
    this.bufferedBytes = bufferedBytes;
  }
}
