export { applyJsonPatch } from "./apply-json-patch.js";
export { PatchError, type PatchErrorCode, type PatchErrorDetails } from "./patch-error.js";
