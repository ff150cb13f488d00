import { tool, toProtocolTool, type Tool } from "@agrx/core";
import type { moves } from "./board.js";

/** What the client offers: the moves, as tools that it lets the agent make for it. */
export function offeredTools(offered: Partial<typeof moves>): Tool[] {
  return Object.entries(offered).map(([name, { description, parameters }]) =>
    toProtocolTool(tool({ name, description, parameters, execute: () => undefined })),
  );
}
