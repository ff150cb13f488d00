import { readFileSync } from "node:fs";
import { join } from "node:path";
import { rulesPage } from "./rules-page.js";

it("docs/rules.md says what the rules say (npx tsx scripts/generate-rules-page.ts mends it)", () => {
  expect(readFileSync(join(__dirname, "../docs/rules.md"), "utf8")).toBe(rulesPage());
});
