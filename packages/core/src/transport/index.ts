export { decodeSse, type DecodeSseOptions } from "./decode-sse.js";
export * from "./encode-sse.js";
export * from "./from-response.js";
export * from "./http-error.js";
export * from "./slow-reader-error.js";
export * from "./sse-error.js";
export * from "./to-response.js";
