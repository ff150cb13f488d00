import type { ExecutableTool } from "./tool.js";
import { ToolUsageError } from "./tool-usage-error.js";

/** Tools by name. */
export type ToolRegistry = ReadonlyMap<string, ExecutableTool>;

/**
 * Puts tools under their names; two of one name are a mistake.
 *
 * @param mayAsk - whether approval can be asked for; where not, a tool that needs it is a mistake too
 */
export function toolRegistry(tools: readonly ExecutableTool[], mayAsk: boolean): ToolRegistry {
  const registry = new Map<string, ExecutableTool>();
  for (const tool of tools) {
    const { name, needsApproval = false } = tool;
    if (registry.has(name)) {
      throw new ToolUsageError("duplicate-tool", `Two tools are named "${name}". Rename one of them.`);
    }
    if (needsApproval !== false && !mayAsk) {
      throw new ToolUsageError(
        "no-context",
        `Tool "${name}" needs approval, which only a run can ask for. Pass its ctx as \`context\`; a client's tool ` +
          "asks in `execute`.",
      );
    }
    registry.set(name, tool);
  }
  return registry;
}
