/** Something in a chunk that a decoder does not know. */
export interface UnknownPart {
  /** The decoder's name, such as `openaiChat`. */
  readonly decoder: string;
  /** Where in the chunk, as a dotted path such as `choices.0.delta.audio`, or the event's type. */
  readonly path: string;
  /** What stood there. */
  readonly value: unknown;
}

/** What every decoder takes. */
export interface DecoderOptions {
  /**
   * Receives, synchronously, what the decoder does not know: new event types, parts and fields, and parts of
   * tool calls that belong to no call. Default: nobody hears of it.
   */
  readonly onUnknown?: (unknown: UnknownPart) => void;
  /**
   * Lower-case vendor id, for errors, usage and the names of custom events; a compatible server may be called
   * by its own name. Default: the vendor of the format.
   */
  readonly provider?: string;
}
