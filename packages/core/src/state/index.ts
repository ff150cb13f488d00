export { applyJsonPatch } from "./apply-json-patch.js";
export { diffJson } from "./diff-json.js";
export { PatchError, type PatchErrorCode } from "./patch-error.js";
export { StateError, type StateErrorCode } from "./state-error.js";
export { createStatePublisher, type StatePublisher, type StatePublisherOptions } from "./state-publisher.js";
