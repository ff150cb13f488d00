/** Why a patch did not apply; {@link PatchError} carries it as `code`. */
export type PatchErrorCode =
  /** No operation of RFC 6902: an unknown `op`, a missing `value` or `from`, a pointer that is none. */
  | "malformed-operation"
  /** The path goes through `__proto__`, `constructor` or `prototype`. */
  | "forbidden-key"
  /** There is nothing at the path. */
  | "path-not-found"
  /** An array was addressed by something that is no index of it. */
  | "invalid-index"
  /** A `test` found another value. */
  | "test-failed"
  /** A `move` would put a value inside itself. */
  | "move-into-itself";

/** Where a {@link PatchError} happened. */
export interface PatchErrorDetails {
  readonly code: PatchErrorCode;
  readonly index: number;
  readonly path: string;
  readonly message: string;
}

/**
 * A JSON Patch did not apply; the document is the very same as before.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class PatchError extends Error {
  override readonly name = "PatchError";
  readonly code: PatchErrorCode;
  /** Position of the failing operation in the patch, from 0. */
  readonly index: number;
  /** The JSON Pointer concerned: the operation's `path`, or its `from` where that is at fault. */
  readonly path: string;

  constructor(details: PatchErrorDetails) {
    super(details.message);
    this.code = details.code;
    this.index = details.index;
    this.path = details.path;
  }
}
