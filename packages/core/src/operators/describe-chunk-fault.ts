import { entityKinds, lifecycle } from "../protocol/lifecycle.js";
import type { OpenEntity } from "../protocol/ordering-error.js";
import { quoteId } from "../protocol/quote-id.js";
import type { ChunkEvent, ChunkFault } from "./chunk-lanes.js";

const nameOf = ({ kind, id }: OpenEntity) => `${entityKinds[kind].label} ${quoteId(id)}`;

/**
 * What came, what was expected and how to mend it, to follow the chunk's type.
 *
 * @param open - the streams that were open
 *
 * @experimental
 */
export function describeChunkFault(
  fault: ChunkFault,
  chunk: ChunkEvent,
  open: readonly OpenEntity[],
): string {
  const { rule, id, field, stream } = fault;
  const { kind } = lifecycle[chunk.type];
  const { label } = entityKinds[kind];
  switch (rule) {
    case "chunk-conflict":
      return `continues ${nameOf({ kind, id: id! })} with a ${field} where its opener had ${
        (stream!.opener as unknown as Readonly<Record<string, unknown>>)[field] === undefined
          ? "none"
          : "another"
      }. Leave ${field} out, or send another id to begin anew.`;
    case "owner-mismatch": {
      const owner = stream!.subagentRunId ?? undefined;
      const opener = owner === undefined ? "the parent agent" : `subagent ${quoteId(owner)}`;
      return `continues ${nameOf({ kind, id: id! })} for subagent ${quoteId(chunk.subagentRunId)}, but ${opener} opened it. Leave subagentRunId out or repeat the opener's.`;
    }
    case "chunk-ambiguous": {
      const ids = open.filter((each) => each.kind === kind).map((each) => quoteId(each.id));
      return `has neither ${field} nor subagentRunId, and ${ids.length} lanes stream a ${label} (${ids
        .slice(0, 3)
        .join(", ")}${ids.length > 3 ? ", ..." : ""}). Send ${field} or subagentRunId.`;
    }
    case "chunk-without-id": {
      if (id !== undefined) {
        return `opens ${nameOf({ kind, id })} without ${field}. Send ${field} with the first chunk of a call, and again after another event of its lane.`;
      }
      const instead = stream ? `; its lane streams ${nameOf(stream)}` : "";
      return `has no ${field}, and there is no ${label} in chunks for it to continue${instead}. Send ${field} with the first chunk, and again after another event of its lane.`;
    }
  }
}
