import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { createExampleProgram } from "./example-program";
import { extractExamples } from "./extract-examples";
import { packageEntries } from "./package-entries";
import { matches, runExample, saysWhatItPrints } from "./run-example";
import { undocumented } from "./undocumented";

const root = join(__dirname, "../..");

function filesBelow(folder: string, isWanted: (file: string) => boolean): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => !/(^|\/)(node_modules|dist|api)\//.test(file) && isWanted(file))
    .map((file) => join(root, folder, file))
    .sort();
}

const isMarkdown = (file: string) => file.endsWith(".md");
const isSource = (file: string) => /^[^/]+\/src\/.*(?<!\.(test|fixture|generated))\.ts$/.test(file);
const pages = readdirSync(root)
  .filter((file) => isMarkdown(file) && file !== "CHANGELOG.md")
  .map((file) => join(root, file));
const documents = [
  ...pages,
  ...filesBelow("docs", isMarkdown),
  ...filesBelow("examples", isMarkdown),
  ...filesBelow("packages", (file) => /^[^/]+\/README\.md$/.test(file) || isSource(file)),
];
const examples = documents.flatMap((file) => extractExamples(file, relative(root, file)));
const entries = packageEntries(root);
const { program, problems } = createExampleProgram(
  root,
  examples,
  entries.map((entry) => entry.source),
);

describe("the examples of README, docs and TSDoc", () => {
  it("compile", () => {
    expect(problems()).toEqual([]);
  }, 60_000);

  it.each(examples.filter(saysWhatItPrints).map((example) => [example.place, example] as const))(
    "%s prints what it says",
    async (_place, example) => {
      const printed = await runExample(example, (name) => jest.requireActual(name));
      const differences = printed
        .filter((one) => !matches(one))
        .map((one) => `${one.place}: says ${one.expected}, prints ${one.printed || "nothing"}`);
      expect(differences).toEqual([]);
    },
  );
});

describe("what the packages export", () => {
  it("has a TSDoc comment, functions with an example and operators with a marble diagram", () => {
    expect(undocumented(program, entries, root)).toEqual([]);
  });
});
