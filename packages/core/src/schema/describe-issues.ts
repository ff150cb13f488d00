import type { StandardSchemaV1 } from "@standard-schema/spec";

/** The issues of a schema in a line: where, and what the schema says; never the value itself. */
export function describeIssues(issues: readonly StandardSchemaV1.Issue[]): string {
  return issues
    .map(({ path, message }) => (path?.length ? `${dotted(path)}: ${message}` : message))
    .join("; ");
}

const dotted = (path: NonNullable<StandardSchemaV1.Issue["path"]>): string =>
  path.map((segment) => String(typeof segment === "object" ? segment.key : segment)).join(".");
