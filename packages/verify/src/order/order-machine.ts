import {
  createChunkLanes,
  entityKinds,
  lifecycle,
  type AGUIEvent,
  type ChunkEvent,
  type ChunkLanes,
  type ChunkStream,
  type LifecycleRole,
} from "@agrx/core";
import type { VerifyOptions } from "../options.js";
import type { Owner } from "./entity.js";
import type { Ledger, Report } from "./ledger.js";
import type { Fields, ProtocolTables, Row, Rules } from "./protocol.js";
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
const noRow = { type: "An event", kind: {}, spec: {} } as Row;

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
  const { ledger, entityRules, runRules, startRun, endRun, mismatch } = createOrderingRules(
    options,
    tables,
    report,
  );
  const { isProducer, tags, fault } = ledger;
  const rows = compileRows(tables, ledger);
  let lanes: ChunkLanes | undefined;
  /** Nothing but the ids decides about a fragment: most events of a stream take this short way. */
  let isPlain = false;

  function observe(event: Fields): void {
    ledger.index++;
    const row = rows.get(event?.type);
    const id = row && idOf(row, event);
    const tag = event?.["subagentRunId"] as Owner;
    if (isPlain && row?.role === "continues") {
      const entity = row.table.get(id!);
      if (entity?.isOpen && (tag === undefined || tag === entity.owner)) return;
    }
    ledger.event = event;
    ledger.row = row ?? noRow;
    if (row === undefined) {
      fault("unknown-event", "has no place in the protocol. Use CUSTOM or RAW.", id, undefined, isProducer);
    } else {
      const wrong = schemas?.check(event as unknown as AGUIEvent);
      if (wrong) {
        const { path, message } = wrong;
        fault(
          "invalid-event",
          `is malformed at ${path || "its root"}: ${message}.`,
          id,
          undefined,
          true,
          path,
        );
      }
      if (row.role === "chunk") lanes ??= createLanes();
      if (!lanes?.observe(event as unknown as AGUIEvent)) step(row, event, id!, tag);
    }
    isPlain = ledger.phase === "active" && !isProducer && !schemas && !lanes?.size;
  }

  function step(row: Row, event: Fields, id: string, tag: Owner): void {
    const { spec, role } = row;
    const { phase } = ledger;
    const isRun = spec.kind === "run";
    const rules: Rules = isRun ? runRules : entityRules;
    ledger.row = row;
    if (phase === "active") rules[role]?.(row, event, id, tag);
    else if (isRun && role === "opens") startRun(event);
    else if (isRun && spec.fails && phase !== "failed") endRun("failed");
    else {
      const rule = phase === "unstarted" ? "not-started" : "run-ended";
      fault(rule, "is outside a run. Send RUN_STARTED first.", id);
    }
    // Of a subagent's own events it is the id.
    if (isProducer && tag !== undefined && row.kind.ownership !== "none") tags.add(tag);
  }

  function createLanes(): ChunkLanes {
    /** Does what the explicit event that stands for a chunk does. */
    const standFor =
      (role: LifecycleRole) =>
      ({ kind, id, subagentRunId }: ChunkStream, chunk?: ChunkEvent): void => {
        // A chunk with nothing in it continues nothing.
        if (role === "continues" && (chunk!.delta ?? chunk!.rawEvent ?? chunk!.metadata) === undefined)
          return;
        for (const row of rows.values()) {
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
        if (rule === "owner-mismatch") mismatch(id!, entity!, subagentRunId);
        else {
          fault(rule, `does not fit one open chunk. Send the ${field} of its first.`, id, entity);
        }
      },
    });
  }

  return {
    observe: observe,
    finish() {
      const { phase, runId } = ledger;
      ledger.index++;
      ledger.event = undefined;
      ledger.row = { ...noRow, type: "The stream's end" };
      if (phase === "active" || phase === "unstarted") {
        fault("truncated", "comes before a run's. Send RUN_FINISHED or RUN_ERROR first.", runId);
      }
    },
    step,
    ledger,
  };
}

/** A Map, as an event's type is the sender's: it may be `__proto__`, or no string. */
function compileRows(
  { lifecycle, entityKinds }: ProtocolTables,
  { tables }: Ledger,
): ReadonlyMap<unknown, Row> {
  const rows = new Map<unknown, Row>();
  for (const type in lifecycle) {
    const spec = lifecycle[type]!;
    const { role, kind, id = "" } = spec;
    rows.set(type, { type, spec, role, id, kind: entityKinds[kind!] ?? {}, table: tables[kind!] });
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
