/** Writes how the tests went to the file that AGRX_TEST_COUNTS names, for .ci/run. */
module.exports = class CountReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } =
      results;
    const passed = numPassedTests;
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const skipped = numPendingTests + numTodoTests;
    require("node:fs").writeFileSync(process.env.AGRX_TEST_COUNTS, `${passed} ${failed} ${skipped}\n`);
  }
};
