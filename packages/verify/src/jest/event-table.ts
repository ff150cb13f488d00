import { lifecycle, quoteId, type AGUIEvent } from "@agrx/core";
import type { Finding, Report } from "./report.js";

/** How many events are shown before and after one that a finding points at. */
const AROUND = 3;
/** How many findings a table points at. */
const MOST_SHOWN = 5;

/**
 * A run as lines, one an event, pointing at those that findings are about; of a long run only their
 * surroundings.
 */
export function eventTable({ events, findings }: Report): string {
  const shown = findings.slice(0, MOST_SHOWN);
  const rows = visibleRows(events.length, shown);
  const cells = new Map(rows.map((index) => [index, cellsOf(events[index], index)]));
  const widths = [0, 1, 2].map((column) =>
    Math.max(0, ...[...cells.values()].map((row) => row[column]!.length)),
  );

  const lines: string[] = [];
  let expected = 0;
  const skipTo = (index: number) => {
    if (index > expected)
      lines.push(`    ${" ".repeat(widths[0]!)}  ... ${counted(index - expected, "event")}`);
  };
  for (const index of rows) {
    skipTo(index);
    expected = index + 1;
    const [position, type, id] = cells.get(index)!;
    const rules = shown.filter((finding) => finding.index === index).map(nameOf);
    const line = `${position.padStart(widths[0]!)}  ${type.padEnd(widths[1]!)}  ${id.padEnd(widths[2]!)}`;
    lines.push(`${rules.length > 0 ? "  > " : "    "}${`${line}  ${rules.join(", ")}`.trimEnd()}`);
  }
  skipTo(events.length);
  return lines.join("\n");
}

/** What findings say, one line each. */
export function findingLines(findings: readonly Finding[]): string {
  const lines = findings.slice(0, MOST_SHOWN).map((finding) => `${nameOf(finding)}: ${finding.message}`);
  if (findings.length > MOST_SHOWN) lines.push(`... and ${findings.length - MOST_SHOWN} more`);
  return lines.join("\n");
}

function nameOf({ rule, severity }: Finding): string {
  return severity === "warn" ? `${rule} (warning)` : rule;
}

function visibleRows(length: number, findings: readonly Finding[]): number[] {
  if (length <= 2 * AROUND + 4)
    return indices(0, length + (findings.some(({ index }) => index >= length) ? 1 : 0));
  const rows = new Set([0]);
  for (const { index } of findings) {
    // The end of the stream is a row of its own.
    const to = Math.min(index + AROUND + 1, Math.max(length, index + 1));
    for (const row of indices(Math.max(0, index - AROUND), to)) rows.add(row);
  }
  if (findings.length === 0) for (const row of [...indices(1, 1 + AROUND), length - 1]) rows.add(row);
  return [...rows].sort((a, b) => a - b);
}

function indices(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset);
}

function cellsOf(event: AGUIEvent | undefined, index: number): [string, string, string] {
  if (event === undefined) return [String(index), "(end of the stream)", ""];
  const fields = event as unknown as Readonly<Record<string, unknown>>;
  const row = Object.hasOwn(lifecycle, event.type) ? lifecycle[event.type] : undefined;
  const idField = row && "id" in row ? row.id : undefined;
  const id = idField === undefined || fields[idField] === undefined ? "" : quoteId(fields[idField]);
  const owner = fields["subagentRunId"];
  const tag = owner === undefined || idField === "subagentRunId" ? "" : ` @${quoteId(owner)}`;
  return [String(index), String(event.type), `${id}${tag}`];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
