import type { Tool } from "@agrx/core";

/** A JSON Schema as a plain object. */
export type JsonSchema = Record<string, unknown>;

const emptyObject: JsonSchema = { type: "object", properties: {} };

/** The schema of a tool's arguments without its dialect's name; a tool without parameters takes an empty object. */
export function parametersSchema(tool: Tool): JsonSchema {
  const parameters = tool.parameters as JsonSchema | undefined;
  if (!parameters || Object.keys(parameters).length === 0) return emptyObject;
  const { $schema: _dialect, ...schema } = parameters;
  return "type" in schema ? schema : { type: "object", ...schema };
}

/** Keywords whose value is a schema, a list of schemas, or an object of schemas by name. */
const nested: Record<string, "schema" | "list" | "map"> = {
  items: "schema",
  additionalProperties: "schema",
  anyOf: "list",
  oneOf: "list",
  prefixItems: "list",
  properties: "map",
  $defs: "map",
};

/**
 * Reduces a schema to the keywords that a provider accepts.
 *
 * `const` becomes an `enum` of one; an `allOf` of one schema is merged into its parent; every other
 * keyword that is not accepted is left out, which only widens what the model may send: the tool's own
 * validation still decides.
 */
export function reduceSchema(schema: JsonSchema, accepted: ReadonlySet<string>): JsonSchema {
  const { allOf, const: only, ...rest } = schema;
  const merged = Array.isArray(allOf) && allOf.length === 1 ? { ...(allOf[0] as JsonSchema), ...rest } : rest;
  const reduced: JsonSchema = {};
  for (const [keyword, value] of Object.entries(merged)) {
    if (accepted.has(keyword)) reduced[keyword] = reduceKeyword(nested[keyword], value, accepted);
  }
  if ("const" in schema && !("enum" in reduced)) reduced["enum"] = [only];
  return reduced;
}

function reduceKeyword(
  kind: "schema" | "list" | "map" | undefined,
  value: unknown,
  accepted: ReadonlySet<string>,
): unknown {
  const reduce = (inner: unknown) =>
    typeof inner === "object" && inner !== null ? reduceSchema(inner as JsonSchema, accepted) : inner;
  if (kind === "list" && Array.isArray(value)) return value.map(reduce);
  if (kind === "map" && typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, reduce(inner)]));
  }
  return kind === "schema" ? reduce(value) : value;
}
