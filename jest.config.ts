import { availableParallelism } from "node:os";
import type { Config } from "jest";

// Set by .ci/run alone.
const { AGRX_TEST_COUNTS: counts, AGRX_SHARED_READS: reads } = process.env;

const config: Config = {
  testEnvironment: "node",
  roots: ["<rootDir>/packages", "<rootDir>/examples", "<rootDir>/bench", "<rootDir>/scripts"],
  testMatch: ["**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/", "/dist/"],
  modulePathIgnorePatterns: ["/dist/"],
  transform: {
    "\\.ts$": ["ts-jest", { tsconfig: "<rootDir>/tsconfig.jest.json" }],
  },
  moduleNameMapper: {
    "^@agrx/(core|verify|llm-adapter)$": "<rootDir>/packages/$1/src/index.ts",
    "^@agrx/(core|verify|llm-adapter)/(.+)$": [
      "<rootDir>/packages/$1/src/$2/index.ts",
      "<rootDir>/packages/$1/src/$2.ts",
    ],
    "^(\\.{1,2}/.*)\\.js$": "$1",
  },
  testTimeout: process.env["AGRX_SOAK"] ? 3_600_000 : 20_000,
  // jest leaves one core to itself, but hardly uses it: half of a machine with two.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  reporters: ["default", ...(counts ? ["<rootDir>/scripts/jest/count-reporter.cjs"] : [])],
  setupFiles: [
    "<rootDir>/scripts/jest/share-undici.cjs",
    ...(reads ? ["<rootDir>/scripts/jest/list-shared-reads.cjs"] : []),
  ],
};

export default config;
