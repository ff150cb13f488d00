import { columns, type Board } from "./board.js";

const width = 22;

/** Draws a board as text, a column beside the other. */
export function draw({ tasks }: Board): string {
  const lists = columns.map((column) =>
    tasks.filter((task) => task.column === column).map(({ title }) => title),
  );
  const height = Math.max(1, ...lists.map((list) => list.length));
  const cell = (text: string) => ` ${text.slice(0, width - 2).padEnd(width - 2)} `;
  const line = (left: string, middle: string, right: string) =>
    left + columns.map(() => "─".repeat(width)).join(middle) + right;
  const rows = Array.from(
    { length: height },
    (_, row) => `│${lists.map((list) => cell(list[row] ?? "")).join("│")}│`,
  );
  return [
    line("┌", "┬", "┐"),
    `│${columns.map((column) => cell(column)).join("│")}│`,
    line("├", "┼", "┤"),
    ...rows,
    line("└", "┴", "┘"),
  ].join("\n");
}
