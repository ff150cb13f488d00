/// <reference lib="esnext.disposable" preserve="true" />
// The line above gives handles their `Disposable` where an app's own `lib` has none.

/**
 * RxJS for AG-UI agent event streams: vocabulary, builders, tool-call operators, views, state and SSE.
 *
 * @packageDocumentation
 */
export * from "./protocol/index.js";
export * from "./stream/index.js";
export * from "./json/index.js";
export * from "./state/index.js";
export * from "./tools/index.js";
export * from "./operators/index.js";
export * from "./boundary/index.js";
export * from "./views/index.js";
export * from "./run/index.js";
export * from "./transport/index.js";
export * from "./client/index.js";
