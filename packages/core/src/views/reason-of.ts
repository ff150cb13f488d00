import type { PatchError } from "../state/patch-error.js";

/** Why a well-formed patch did not apply; throws what is no such failure again. */
export function reasonOf(error: unknown): string {
  const { name, code, message } = error as PatchError;
  if (name !== "PatchError" || code === "malformed-operation") throw error;
  return message;
}
