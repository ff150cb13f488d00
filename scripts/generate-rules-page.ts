// Writes docs/rules.md from the rules of @agrx/verify: `npx tsx scripts/generate-rules-page.ts`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rulesPage } from "./rules-page.js";

const docs = join(import.meta.dirname, "../docs");
mkdirSync(docs, { recursive: true });
writeFileSync(join(docs, "rules.md"), rulesPage());
