// The Google SDK asks the global object for undici's dispatcher, which jest's sandbox leaves outside.
const { TestEnvironment } = require("jest-environment-node");

const dispatcher = Symbol.for("undici.globalDispatcher.1");

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    new Headers(); // Node makes the dispatcher with the first of these
    this.global[dispatcher] = globalThis[dispatcher];
  }
};
