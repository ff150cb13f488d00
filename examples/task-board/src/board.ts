import { z } from "zod";

export const columns = ["todo", "doing", "done"] as const;
export type Column = (typeof columns)[number];

/** The state that agent and client share. */
export interface Board {
  readonly tasks: readonly { readonly title: string; readonly column: Column }[];
}

export const emptyBoard: Board = { tasks: [] };

const title = z.string().min(1);
const column = z.enum(columns);

/** The four moves on a board: what each takes, and the board after it. Nothing is changed in place. */
export const moves = {
  add_task: {
    description: "Adds a task to a column",
    parameters: z.object({ title, column: column.default("todo") }),
    apply: (board: Board, args: { title: string; column: Column }): Board => ({
      tasks: [...board.tasks, { title: args.title, column: args.column }],
    }),
  },
  move_task: {
    description: "Moves a task to another column",
    parameters: z.object({ title, column }),
    apply: (board: Board, args: { title: string; column: Column }): Board => ({
      tasks: board.tasks.map((task) => (task.title === args.title ? { ...task, column: args.column } : task)),
    }),
  },
  rename_task: {
    description: "Gives a task another title",
    parameters: z.object({ title, newTitle: title }),
    apply: (board: Board, args: { title: string; newTitle: string }): Board => ({
      tasks: board.tasks.map((task) =>
        task.title === args.title ? { ...task, title: args.newTitle } : task,
      ),
    }),
  },
  remove_task: {
    description: "Takes a task off the board",
    parameters: z.object({ title }),
    apply: (board: Board, args: { title: string }): Board => ({
      tasks: board.tasks.filter((task) => task.title !== args.title),
    }),
  },
};

export type MoveName = keyof typeof moves;
