import {
  createChunkLanes,
  entityKinds,
  lifecycle,
  quoteId,
  type AGUIEvent,
  type ChunkEvent,
  type ChunkLanes,
  type ChunkStream,
  type LifecycleRole,
} from "@agrx/core";
import type { VerifyOptions } from "../options.js";
import type { Owner } from "./entity.js";
import type { Ledger, Report } from "./ledger.js";
import type { Fields, ProtocolTables, Row } from "./protocol.js";
import { createOrderingRules } from "./ordering-rules.js";

/** The state machine behind every surface of this package. */
export interface OrderMachine {
  /** Takes the next event. */
  observe(event: AGUIEvent): void;
  finish(): void;
  /** Does what an event does inside or outside a run, chunks apart. */
  step(row: Row, event: Fields, id: string, tag: Owner): void;
  readonly ledger: Ledger;
}

/** Stands for the row of an event of no known type, and of the end of the stream. */
const noRow = { subject: "An event", kind: {}, spec: {} } as Row;

/**
 * Makes the machine for one stream. It tells each violation to `report`, which may throw; else it goes on as
 * if the event were right, where that makes sense, and otherwise as if it had not come.
 */
export function createOrderMachine(
  options: VerifyOptions,
  report: Report,
  tables: ProtocolTables = { lifecycle, entityKinds },
): OrderMachine {
  const { schemas } = options;
  const { ledger, step, mismatch } = createOrderingRules(options, tables, report);
  const { isProducer, fault } = ledger;
  const rows = compileRows(tables, ledger);
  let lanes: ChunkLanes | undefined;
  /** Nothing but the ids decides about a fragment: most events of a stream take this short way. */
  let isPlain = false;

  function observe(event: Fields): void {
    ledger.index++;
    const type: unknown = event?.type;
    // A look-up by anything but a string could run the sender's own toString.
    const row = typeof type === "string" ? rows[type] : undefined;
    const id = row && idOf(row, event);
    const tag = event?.["subagentRunId"] as Owner;
    if (isPlain && row?.role === "continues") {
      const entity = row.table.get(id!);
      // Of a producer each tag is noted.
      if (entity?.open && (tag === undefined || (tag === entity.owner && !isProducer))) return;
    }
    ledger.event = event;
    ledger.row = row ?? noRow;
    if (row === undefined) {
      fault(
        "unknown-event",
        `is of an unknown type, ${quoteId(type)}. Use CUSTOM or RAW.`,
        id,
        undefined,
        isProducer,
      );
    } else {
      schemas?.check(event as unknown as AGUIEvent, malformed);
      if (row.role === "chunk") lanes ??= createLanes();
      if (!lanes?.observe(event as unknown as AGUIEvent)) step(row, event, id!, tag);
    }
    isPlain = ledger.phase === "active" && !schemas && !lanes?.size;
  }

  const malformed = (path: string, text: string) =>
    fault("invalid-event", text, undefined, undefined, true, path);

  function createLanes(): ChunkLanes {
    /** Does what the explicit event that stands for a chunk does. */
    const standFor =
      (role: LifecycleRole) =>
      ({ kind, id, subagentRunId }: ChunkStream, chunk?: ChunkEvent): void => {
        // A chunk with nothing in it continues nothing.
        if (role === "continues" && (chunk!.delta ?? chunk!.rawEvent ?? chunk!.metadata) === undefined)
          return;
        for (const type in rows) {
          const row = rows[type]!;
          if (row.spec.kind !== kind || row.role !== role) continue;
          step(row, ledger.event!, id, chunk?.subagentRunId ?? subagentRunId);
        }
      };
    return createChunkLanes({
      open: standFor("opens"),
      continue: standFor("continues"),
      close: standFor("closes"),
      fault({ rule, id, field }, { subagentRunId }) {
        const entity = ledger.row.table.get(id!);
        if (rule === "owner-mismatch" && entity) mismatch(id!, entity, subagentRunId);
        else {
          fault(rule, `does not fit one open chunk. Send the ${field} of its first.`, id, entity);
        }
      },
    });
  }

  return {
    observe,
    finish() {
      const { phase, runId } = ledger;
      ledger.index++;
      ledger.event = undefined;
      ledger.row = { ...noRow, subject: "The stream's end" };
      if (!phase || phase === "active") {
        fault("truncated", "comes too early. Send RUN_FINISHED or RUN_ERROR first.", runId);
      }
    },
    step,
    ledger,
  };
}

/** Has no prototype: an event's type is the sender's and may be `__proto__`. */
function compileRows(
  { lifecycle, entityKinds }: ProtocolTables,
  { tables }: Ledger,
): Readonly<Record<string, Row | undefined>> {
  const rows = Object.create(null) as Record<string, Row>;
  for (const type in lifecycle) {
    const spec = lifecycle[type]!;
    const { role, kind, id = "" } = spec;
    rows[type] = { spec, role, id, kind: entityKinds[kind!] ?? {}, table: tables[kind!] };
  }
  return rows;
}

/** The id of an event's entity. A field of a fixed name is read faster than one whose name is in a variable. */
function idOf({ id }: Row, event: Fields): string {
  switch (id) {
    case "messageId":
      return event["messageId"] as string;
    case "toolCallId":
      return event["toolCallId"] as string;
    default:
      return event[id] as string;
  }
}
