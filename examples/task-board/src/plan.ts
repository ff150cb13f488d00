import { columns, type Column, type MoveName } from "./board.js";

/** A move that the user asked for. */
export interface Move {
  readonly name: MoveName;
  readonly args: Readonly<Record<string, string>>;
}

/**
 * Reads what the user wants done; a stand-in for a model, one sentence a move:
 * `add Write docs`, `move Write docs to doing`, `rename Write docs to Write guide`, `remove Write docs`.
 */
export function plan(text: string): Move[] {
  return text
    .split(/[.;\n]/)
    .map((sentence) => sentence.trim())
    .flatMap((sentence) => read(sentence) ?? []);
}

function read(sentence: string): Move | undefined {
  const [verb = "", ...rest] = sentence.split(" ");
  const [title = "", target = ""] = rest.join(" ").split(" to ");
  if (title === "") return undefined;
  switch (verb.toLowerCase()) {
    case "add":
      return { name: "add_task", args: isColumn(target) ? { title, column: target } : { title } };
    case "move":
      return isColumn(target) ? { name: "move_task", args: { title, column: target } } : undefined;
    case "rename":
      return { name: "rename_task", args: { title, newTitle: target } };
    case "remove":
      return { name: "remove_task", args: { title } };
    default:
      return undefined;
  }
}

function isColumn(text: string): text is Column {
  return (columns as readonly string[]).includes(text);
}
