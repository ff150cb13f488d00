/**
 * A jest setup file: lets tests see the dispatcher of Node's fetch, which @google/genai 2 looks for on the
 * global object. jest gives tests a global object of their own.
 */
const outer = require("node:vm").runInThisContext("globalThis");
const dispatcher = Symbol.for("undici.globalDispatcher.1");
new outer.Headers(); // Node makes it with its first use
globalThis[dispatcher] = outer[dispatcher];
