export * from "./run-view.js";
