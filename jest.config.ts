import type { Config } from "jest";

const config: Config = {
  testEnvironment: "<rootDir>/scripts/jest-environment.cjs",
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
};

export default config;
