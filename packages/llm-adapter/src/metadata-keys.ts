/**
 * Keys under which decoders and {@link toEvents} keep what a later request needs, in the metadata of messages and
 * calls. Decoders write them, requests read them.
 */
export const metadataKeys = {
  /** Of text that came after a call: the id of the message of the same answer that it goes on from. */
  continues: "agrx.continues",
  /** The id that the provider gave a call, when the run had to rename it. */
  providerCallId: "agrx.providerCallId",
  /** The id of the Responses item that a message or a call came from. */
  openaiItemId: "openai.itemId",
  /** Which part of the answer a message of the Responses API is. */
  openaiPhase: "openai.phase",
  /** The type of Anthropic's block, where it is no plain `tool_use` or `tool_result`. */
  anthropicType: "anthropic.type",
  /** The MCP server that an `mcp_tool_use` was sent to. */
  anthropicServerName: "anthropic.serverName",
  /** Reasoning that is Cohere's plan of its calls. */
  cohereToolPlan: "cohere.toolPlan",
  /** Fields of OpenRouter's reasoning detail, but for its text and its secret. */
  openrouterDetail: "openrouter.reasoning_detail",
} as const;
