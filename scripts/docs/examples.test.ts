import { examplesOf } from "./extract-examples";
import { runExample } from "./run-example";

const block = (...lines: string[]) => ["```ts", ...lines, "```"].join("\n");
const run = (lines: string[], patience?: number) =>
  runExample(examplesOf(block(...lines), "page.md")[0]!, (name) => jest.requireActual(name), patience);

describe("examplesOf", () => {
  it("knows the place of each line, and what must not run", () => {
    const [first, second] = examplesOf(
      `# Title\n\n${block("one", "two")}\n\n  \`\`\`ts no-run\n  three\n  \`\`\``,
      "page.md",
    );
    expect(first).toEqual({
      place: "page.md:3",
      run: true,
      lines: [
        { text: "one", place: "page.md:4" },
        { text: "two", place: "page.md:5" },
      ],
    });
    expect(second).toMatchObject({ run: false, lines: [{ text: "three", place: "page.md:9" }] });
  });

  it("puts the block before in front of one that continues it", () => {
    const examples = examplesOf("```ts\none\n```\n```ts continues\ntwo\n```", "page.md");
    expect(examples[1]!.lines.map((line) => line.text)).toEqual(["one", "two"]);
  });

  it("refuses a block that is never closed", () => {
    expect(() => examplesOf("```ts\none", "page.md")).toThrow("page.md:1");
  });
});

describe("runExample", () => {
  it("joins what one line prints several times, and waits for what comes later", async () => {
    const printed = await run([
      'import { interval, take } from "rxjs";',
      "interval(5).pipe(take(2)).subscribe({",
      "  next: (value) => console.log(value), // 0, 1",
      "  complete: () => console.log({ done: [\"yes\"] }), // { done: [ 'yes' ] }",
      "});",
      'console.log("no comment, no matter");',
    ]);
    expect(printed).toEqual([
      { place: "page.md:4", expected: "0, 1", printed: "0, 1" },
      { place: "page.md:5", expected: "{ done: [ 'yes' ] }", printed: "{ done: [ 'yes' ] }" },
    ]);
  });

  it("tells what was printed instead, and what was not printed at all", async () => {
    const printed = await run(["console.log(1); // 2", "if (Date.now() === 0) console.log(3); // 3"], 100);
    expect(printed.map((one) => one.printed)).toEqual(["1", ""]);
  });

  it("says where the example is that throws", async () => {
    await expect(run(['throw new Error("broken"); console.log(1); // 1'])).rejects.toThrow("page.md:1");
  });
});
