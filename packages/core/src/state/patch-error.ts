import { CodedError } from "../protocol/coded-error.js";

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

/**
 * A JSON Patch did not apply; the document is the very same as before.
 *
 * Know it by its `code`, not by `instanceof`: two copies of a package may meet in one process.
 */
export class PatchError extends CodedError<
  PatchErrorCode,
  { readonly index: number; readonly path: string }
> {
  override readonly name = "PatchError";
  /** Position of the failing operation in the patch, from 0. */
  declare readonly index: number;
  /** The JSON Pointer concerned: the operation's `path`, or its `from` where that is at fault. */
  declare readonly path: string;
}
