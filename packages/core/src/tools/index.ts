export * from "./tool-call.js";
