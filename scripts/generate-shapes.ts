// Writes packages/core/src/boundary/shapes.generated.ts: the published zod schemas of @ag-ui/core as small
// checks without zod, with what the protocol's processing rules add to them. `--check` only compares.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as schemas from "@ag-ui/core/schemas";
import manifest from "@ag-ui/core/package.json" with { type: "json" };
import { format, resolveConfig } from "prettier";
import type { $ZodType, $ZodTypes } from "zod/v4/core";

const file = join(import.meta.dirname, "../packages/core/src/boundary/shapes.generated.ts");

/** Nulls of peers from before 1.0 (spec 1.1 basic/versioning#retired-shapes), as `<object>.<field>`. */
const retiredNulls = new Set([
  "*.rawEvent",
  "TOOL_CALL_START.parentMessageId",
  "TOOL_CALL_CHUNK.parentMessageId",
  "RUN_FINISHED.result",
  "RUN_FINISHED.outcome",
  "SUBAGENT_FINISHED.result",
  ...["imagePart", "audioPart", "videoPart", "documentPart"].map((part) => `${part}.metadata`),
  "runAgentInput.forwardedProps",
  "tool.parameters",
  "resumeEntry.payload",
]);

/** Members of a union that the protocol has retired, with the check that translates them. */
const retiredMembers: Record<string, Record<string, string>> = {
  contentPart: { binary: "binaryPart(mediaPart)" },
};

/** Names for what several members of a union look like, by the first of them. */
const alike: Record<string, string> = {
  imagePart: "mediaPart",
  addOperation: "valueOperation",
  moveOperation: "fromOperation",
};

/** Fields that stand beside another one since 1.1, which the schemas of 1.0 do not have. */
const companions: Record<string, Record<string, string>> = {
  encryptedValue: { encryptedValueType: "string" },
};

/** Optional fields that many objects share, the larger set first. */
const shared: [name: string, fields: Record<string, string>][] = [
  [
    "attributedEvent",
    { timestamp: "integer", rawEvent: "retiredNull(some)", metadata: "record", subagentRunId: "string" },
  ],
  ["anyEvent", { timestamp: "integer", rawEvent: "retiredNull(some)", metadata: "record" }],
  [
    "anyMessage",
    { subagentRunId: "string", encryptedValue: "string", encryptedValueType: "string", metadata: "record" },
  ],
];

const names = new Map<$ZodType, string>();
for (const [exported, schema] of Object.entries(schemas as Record<string, unknown>)) {
  // Each part has older names too, such as TextInputContentSchema.
  if (!exported.endsWith("Schema") || /Input(Content|Part)/.test(exported)) continue;
  const name = exported.slice(0, -"Schema".length);
  names.set(schema as $ZodType, name[0]!.toLowerCase() + name.slice(1));
}

const declarations = new Map<string, string>();
const imported = new Set<string>(["Check", "Fields"]);

/** The code of a check from `shape.ts`, or of a call of one. */
function use(check: string, ...args: string[]): string {
  imported.add(check);
  return args.length === 0 ? check : `${check}(${args.join(", ")})`;
}

/** The code that checks as a schema does; a schema with a name and a shape is declared once. */
function checkOf(schema: $ZodType): string {
  const name = names.get(schema);
  const code = bareCheckOf(schema, name ?? "");
  if (name === undefined || !code.includes("(")) return code;
  declarations.set(name, code);
  return name;
}

function bareCheckOf(schema: $ZodType, name: string): string {
  const { def } = (schema as $ZodTypes)._zod;
  switch (def.type) {
    case "optional":
    case "default":
      return checkOf(def.innerType);
    case "nullable":
      return use("nullIsAbsent", checkOf(def.innerType));
    case "pipe":
      return checkOf(def.in);
    case "string":
      return accepts(schema, "no/pointer") ? use("string") : use("pointer");
    case "boolean":
      return use("boolean");
    case "number":
      return accepts(schema, -1) ? use("integer") : use("count");
    case "any":
      return accepts(schema, null) ? use("any") : use("some");
    case "custom":
      if (!accepts(schema, {}) || accepts(schema, []) || accepts(schema, null)) break;
      return use("record");
    case "literal":
      return use("literal", JSON.stringify(def.values[0]));
    case "enum":
      return use("oneOf", ...Object.values(def.entries).map((entry) => JSON.stringify(entry)));
    case "array":
      // An interrupt outcome without interrupts is an ordering rule's to refuse: `invalid-outcome`.
      return use("list", checkOf(def.element));
    case "object":
      return objectCheck(schema as ObjectSchema, name);
    case "union":
      if ("discriminator" in def) {
        return use("union", JSON.stringify(def.discriminator), members(schema, name));
      }
      return use("textOr", checkOf(def.options.find((option) => typeOf(option) === "array")!));
  }
  throw new Error(`No check for ${name} of zod type ${def.type}: teach scripts/generate-shapes.ts.`);
}

type ObjectSchema = $ZodType & { _zod: { def: { shape: Record<string, $ZodType> } } };
type UnionSchema = { _zod: { def: { discriminator: string; options: ObjectSchema[] } } };

function objectCheck(schema: ObjectSchema, name: string, tag?: string): string {
  const required: Record<string, string> = {};
  const optional: Record<string, string> = {};
  const lists: string[] = [];
  for (const [field, type] of Object.entries(schema._zod.def.shape)) {
    // The tag of a union's member is known by the time that the member is checked.
    let code = field === tag ? use("string") : checkOf(type);
    if (retiredNulls.has(`${name}.${field}`) || retiredNulls.has(`*.${field}`))
      code = use("retiredNull", code);
    const into = accepts(type, undefined) ? optional : required;
    into[field] = code;
    for (const [companion, check] of Object.entries(companions[field] ?? {}))
      optional[companion] = use(check);
    if (typeOf(type) === "default") lists.push(JSON.stringify(field));
  }
  const open = (schema as { meta?: () => { specOpen?: boolean } | undefined }).meta?.()?.specOpen === true;
  const args = [fields(required)];
  if (Object.keys(optional).length > 0 || open) args.push(fields(optional));
  if (open) args.push("true");
  const code = use(tag === undefined ? "object" : "shape", ...args);
  return lists.length > 0 ? use("withLists", code, ...lists) : code;
}

/** The members of a discriminated union as a table by tag. */
function members(schema: $ZodType, name: string): string {
  const { discriminator, options } = (schema as unknown as UnionSchema)._zod.def;
  const entries = options.map((option): [string, string] => {
    const [value] = (option._zod.def.shape[discriminator] as unknown as LiteralSchema)._zod.def.values;
    // An event is known by its type, anything else by the name of its schema.
    const member = names.get(option)!;
    const code = objectCheck(option, member.endsWith("Event") ? value : member, discriminator);
    const common = alike[member];
    if (common !== undefined) declarations.set(common, code);
    const declared = [...declarations].find(([, known]) => known === code);
    return [value, declared?.[0] ?? code];
  });
  return fields({ ...Object.fromEntries(entries), ...retiredMembers[name] });
}

type LiteralSchema = { _zod: { def: { values: [string] } } };

function fields(entries: Record<string, string>): string {
  const rest = { ...entries };
  const spread = shared.find(([, common]) => Object.keys(common).every((key) => rest[key] === common[key]));
  for (const key of Object.keys(spread?.[1] ?? {})) delete rest[key];
  const own = plain(rest);
  if (spread === undefined) return own;
  return Object.keys(rest).length === 0 ? spread[0] : `{ ...${spread[0]}, ${own.slice(1)}`;
}

const plain = (entries: Record<string, string>): string =>
  `{ ${Object.entries(entries)
    .map(([key, code]) => (key === code ? key : `${key}: ${code}`))
    .join(", ")} }`;

const typeOf = (schema: $ZodType): string => schema._zod.def.type;

function accepts(schema: $ZodType, value: unknown): boolean {
  return (schema as unknown as { safeParse(value: unknown): { success: boolean } }).safeParse(value).success;
}

async function generate(): Promise<string> {
  const input = checkOf(schemas.RunAgentInputSchema);
  const events = members(schemas.EventSchema, "");
  const own = shared
    .map(([name, common]) => `const ${name}: Fields = ${plain(common)};`)
    .reverse()
    .join("\n");
  const code = `// Generated by scripts/generate-shapes.ts from the schemas of @ag-ui/core ${manifest.version}. Do not edit: run \`pnpm generate\`.
import { ${[...imported]
    .sort()
    .map((name) => (/^[A-Z]/.test(name) ? `type ${name}` : name))
    .join(", ")} } from "./shape.js";
import { binaryPart } from "./retired-part.js";
import type { EventTypeName } from "../protocol/vocabulary.js";

${own}

${[...declarations]
  .filter(([name]) => name !== input)
  .map(([name, code]) => `const ${name}: Check = ${code};`)
  .join("\n")}

/** What the run input looks like. */
export const ${input}: Check = ${declarations.get(input)};

/** What each event looks like, by its type. */
export const eventShapes: ReadonlyMap<unknown, Check> = new Map(
  Object.entries(${events} satisfies Record<EventTypeName, Check>),
);
`;
  return format(code, { ...(await resolveConfig(file)), parser: "typescript" });
}

const generated = await generate();
if (!process.argv.includes("--check")) writeFileSync(file, generated);
else if (readFileSync(file, "utf8") !== generated) {
  console.error("shapes.generated.ts is out of date: run `pnpm generate`.");
  process.exit(1);
}
