import { importX } from "eslint-plugin-import-x";
import rxjsX from "eslint-plugin-rxjs-x";
import tsdoc from "eslint-plugin-tsdoc";
import { defineConfig, globalIgnores } from "eslint/config";
import tseslint from "typescript-eslint";

const tests = ["**/*.test.ts", "**/*.fixture.ts", "**/*.bench.ts", "**/test/**", "**/fixtures/**"];

/** Entries and commands that are for Node alone; everything else also runs in a browser. */
const nodeOnly = [
  "packages/*/src/{node,nest,log,redis,cli,bin}/**",
  "packages/*/src/{node,nest,log,redis,cli,bin}.ts",
];

const pastItsEntry = {
  regex: "^@agrx/[^/]+/(src|dist)(/|$)|^(\\.\\./)+(core|verify|llm-adapter)/",
  message: "Import another package through its public entry.",
};
const barrel = {
  regex: "^\\.{1,2}(/.*)?/index\\.js$|^\\.{1,2}$",
  message: "Import the file that defines it; index.ts is for what is public.",
};
const builtIn = {
  regex:
    "^node:|^(assert|buffer|child_process|crypto|events|fs|http|https|net|os|path|stream|url|util|zlib)(/|$)",
  message: "This entry also runs in a browser. Node's own modules belong to an entry of their own.",
};
/** core <- verify <- llm-adapter: a package imports only from the floors below it; its tests may name it. */
const floors = [
  { name: "core", below: [] },
  { name: "verify", below: ["core"] },
  { name: "llm-adapter", below: ["core", "verify"] },
].map(({ name, below }) => {
  const allBut = (packages) => ({
    regex: packages.length === 0 ? "^@agrx/" : `^@agrx/(?!(${packages.join("|")})(/|$))`,
    message: "A package imports only from the floors below it: core <- verify <- llm-adapter.",
  });
  return { name, sources: allBut(below), tests: allBut([...below, name]) };
});

const builtInClasses =
  "^(Error|TypeError|SyntaxError|RangeError|DOMException|Promise|Date|Map|Set|RegExp|URL|Headers|Response|Request|ReadableStream|AbortSignal|ArrayBuffer|Uint8Array)$";

export default defineConfig(
  globalIgnores(["**/dist/", "**/node_modules/", "docs/api/", "coverage/", "**/*.generated.ts"]),
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked, rxjsX.configs.strict],
    plugins: { "import-x": importX },
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "@typescript-eslint/no-empty-object-type": ["error", { allowInterfaces: "with-single-extends" }],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "import-x/no-self-import": "error",
      "import-x/no-duplicates": ["error", { "prefer-inline": true }],
      // Machines and handles are objects of closures: their methods may be taken apart.
      "@typescript-eslint/unbound-method": "off",
      // A stream without a value is an EmptyError, which is what is wanted.
      "rxjs-x/no-ignored-default-value": "off",
      // What a source or a callback throws is passed on as it is.
      "rxjs-x/throw-error": ["error", { allowThrowingAny: true, allowThrowingUnknown: true }],
    },
  },
  {
    // The packages themselves: what no user should meet.
    files: ["packages/*/src/**/*.ts"],
    ignores: tests,
    plugins: { tsdoc },
    rules: {
      "tsdoc/syntax": "error",
      "no-console": "error",
      "no-restricted-syntax": [
        "error",
        {
          selector:
            "Program > VariableDeclaration[kind='let'], Program > ExportNamedDeclaration > VariableDeclaration[kind='let']",
          message: "No module-level mutable state: two formats of a package may meet in one process.",
        },
        {
          selector: `BinaryExpression[operator='instanceof']:not([right.name=/${builtInClasses}/])`,
          message: "Two copies of a class may meet in one process: know it by its name, code or rule.",
        },
      ],
    },
  },
  ...floors.flatMap((floor) => [
    {
      files: [`packages/${floor.name}/src/**/*.ts`],
      rules: { "no-restricted-imports": ["error", { patterns: [pastItsEntry, floor.tests] }] },
    },
    {
      files: [`packages/${floor.name}/src/**/*.ts`],
      ignores: tests,
      rules: { "no-restricted-imports": ["error", { patterns: [pastItsEntry, floor.sources] }] },
    },
    {
      files: [`packages/${floor.name}/src/**/*.ts`],
      ignores: [...tests, ...nodeOnly, "**/index.ts"],
      rules: {
        "no-restricted-imports": ["error", { patterns: [pastItsEntry, floor.sources, builtIn, barrel] }],
      },
    },
  ]),
  {
    files: ["packages/*/src/**/*.ts"],
    ignores: [...tests, ...nodeOnly],
    rules: {
      "no-restricted-globals": [
        "error",
        ...["process", "Buffer", "setImmediate", "global", "__dirname", "__filename", "require"].map(
          (name) => ({
            name,
            message: "This entry also runs in a browser.",
          }),
        ),
      ],
    },
  },
  { files: nodeOnly, rules: { "no-console": "off" } },
  {
    files: ["bench/**/*.ts", "examples/**/*.ts", "scripts/**/*.ts", "docs/**/*.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ ...pastItsEntry, regex: "^@agrx/[^/]+/(src|dist)(/|$)" }] },
      ],
    },
  },
  {
    // Tests hold streams in their hands: they subscribe bare, cast, and feed what types forbid.
    files: [...tests, "scripts/**/*.ts"],
    rules: {
      "@typescript-eslint/no-explicit-any": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/only-throw-error": "off",
      "@typescript-eslint/no-unsafe-enum-comparison": "off",
      "rxjs-x/no-ignored-error": "off",
      "rxjs-x/no-implicit-any-catch": "off",
      "rxjs-x/no-nested-subscribe": "off",
      "rxjs-x/no-floating-observables": "off",
      "rxjs-x/throw-error": "off",
      "rxjs-x/no-misused-observables": "off",
      "rxjs-x/no-ignored-replay-buffer": "off",
    },
  },
);
