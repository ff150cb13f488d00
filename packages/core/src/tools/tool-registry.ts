import type { ExecutableTool } from "./tool.js";
import { ToolUsageError } from "./tool-usage-error.js";

/** Tools by name. */
export type ToolRegistry = ReadonlyMap<string, ExecutableTool>;

/** Puts tools under their names; two of one name are a mistake. */
export function toolRegistry(tools: readonly ExecutableTool[]): ToolRegistry {
  const registry = new Map<string, ExecutableTool>();
  for (const tool of tools) {
    if (registry.has(tool.name)) {
      throw new ToolUsageError("duplicate-tool", `Two tools are named "${tool.name}". Rename one of them.`);
    }
    registry.set(tool.name, tool);
  }
  return registry;
}
