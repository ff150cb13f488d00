import { createChunkLanes, quoteId, type AGUIEvent, type ChunkLanes, type Violation } from "@agrx/core";
import type { VerifyOptions } from "../options.js";
import { show, update } from "./activities.js";
import { annotate } from "./annotations.js";
import { answer } from "./answers.js";
import { closeBracket, continueBracket, openBracket } from "./brackets.js";
import { protocolRows, type CompiledRow, type CompiledTables } from "./compile-rows.js";
import { anyone, assumed, type Owner } from "./entity.js";
import { restateMessages } from "./history.js";
import { closeLabel, openLabel } from "./labels.js";
import { createLedger, openInWords, type Fields, type Ledger } from "./ledger.js";
import { checkOutcome } from "./outcome.js";
import { announce } from "./subagents.js";

/**
 * The state machine behind every surface of this package.
 *
 * Tells each violation to its `report`, then goes on from the most likely state, so that one fault is not
 * told twice. A `report` that throws stops it.
 */
export interface OrderMachine {
  observe(event: AGUIEvent): void;
  finish(): void;
  readonly ledger: Ledger;
  /** Whether a run is going on. */
  readonly active: boolean;
}

type Phase =
  | "unstarted"
  | "active"
  | "finished"
  | "failed"
  /** A run whose RUN_STARTED did not come. */
  | "assumed"
  /** After a run's end, although no other has started. */
  | "late";

export function createOrderMachine(
  options: VerifyOptions,
  report: (violation: Violation) => void,
  tables: CompiledTables = protocolRows,
): OrderMachine {
  const { input, schemas } = options;
  const { rows, kinds, chunks } = tables;
  const ledger = createLedger(options, tables, report);
  const { producer, tables: entities, open } = ledger;

  let phase: Phase = "unstarted";
  let runs = 0;
  /** Undefined also where a fault has made it unclear. */
  let runId: unknown;
  let threadId: unknown = input?.threadId;
  /** The run that another RUN_STARTED has cut off: its own end may still come. */
  let cutRunId: unknown;
  const runIds = new Set<unknown>();
  let lanes: ChunkLanes | undefined;
  let isChunked = false;
  /** Nothing but the ids decides about a fragment: most events of a stream take this short way. */
  let isPlain = false;
  let atHand: Fields;

  function observe(event: Fields): void {
    ledger.index++;
    const row = rowOf(event);
    if (row === undefined) unknownEvent(event);
    else if (isPlain && row.act === "continue") {
      continueBracket(ledger, row, event, idOf(row, event), event["subagentRunId"] as Owner);
    } else if (schemas !== undefined && isMalformed(event)) quietly(() => follow(row, event));
    else follow(row, event);
  }

  function rowOf(event: Fields | null | undefined): CompiledRow | undefined {
    const type = event?.type;
    // A look-up by anything but a string could run the sender's own toString.
    return typeof type === "string" ? rows[type] : undefined;
  }

  function follow(row: CompiledRow, event: Fields): void {
    if (isChunked || row.act === "chunk") {
      atHand = event;
      lanes ??= createLanes();
      const isChunk = lanes.observe(event as unknown as AGUIEvent);
      isChunked = lanes.size > 0;
      if (!isChunk) step(row, event, idOf(row, event), event["subagentRunId"] as Owner);
    } else step(row, event, idOf(row, event), event["subagentRunId"] as Owner);
    isPlain = phase === "active" && !isChunked && !producer && schemas === undefined;
  }

  function step(row: CompiledRow, event: Fields, id: string, tag: Owner): void {
    if (phase === "active") act(row, event, id, tag);
    else actOutside(row, event, id, tag);
    if (producer && tag !== undefined && row.act !== "announce") ledger.tags.add(tag);
  }

  function act(row: CompiledRow, event: Fields, id: string, tag: Owner): void {
    switch (row.act) {
      case "continue":
        continueBracket(ledger, row, event, id, tag);
        return;
      case "open":
        openBracket(ledger, row, event, id, tag);
        return;
      case "close":
        closeBracket(ledger, row, event, id, tag);
        return;
      case "answer":
        answer(ledger, row, event, id, tag);
        return;
      case "openLabel":
        openLabel(ledger, row, event, id, tag);
        return;
      case "closeLabel":
        closeLabel(ledger, row, event, id, tag);
        return;
      case "announce":
        announce(ledger, row, event, id);
        return;
      case "show":
        show(ledger, row, event, id, tag);
        return;
      case "update":
        update(ledger, row, event, id, tag);
        return;
      case "annotate":
        annotate(ledger, row, event, id, tag, runs === 1);
        return;
      case "restate":
        restateMessages(ledger, event[row.row.restates!], true);
        return;
      case "startRun":
        startAgain(event);
        return;
      case "finishRun":
        finishRun(event);
        return;
      case "failRun":
        endRun("failed");
        return;
      default:
    }
  }

  function actOutside(row: CompiledRow, event: Fields, id: string, tag: Owner): void {
    const starts = row.act === "startRun";
    if (phase === "assumed" || phase === "late") {
      if (!starts) act(row, event, id, tag);
      // The start that was missed: what came before it belongs to its run.
      else enterRun(event);
    } else if (starts) startRun(event);
    else if (row.act === "failRun" && phase !== "failed") endRun("failed");
    else if (phase === "unstarted") {
      ledger.fault("not-started", event, id, "comes before any run", "Send RUN_STARTED first.");
      phase = "assumed";
      quietly(() => act(row, event, id, tag));
    } else {
      const end = phase === "finished" ? "RUN_FINISHED" : "RUN_ERROR";
      const isEnd = row.act === "finishRun" || row.act === "failRun";
      ledger.fault(
        "run-ended",
        event,
        id,
        `comes after ${end}`,
        isEnd ? "End a run once." : `Send it before ${end}, or start another run first.`,
      );
      if (isEnd) return;
      phase = "late";
      ledger.late = true;
      runId = undefined;
      quietly(() => act(row, event, id, tag));
    }
  }

  function startRun(event: Fields): void {
    clear();
    enterRun(event);
    if (runs === 1) restateMessages(ledger, input?.messages, false);
    restateMessages(ledger, (event["input"] as { messages?: unknown } | null | undefined)?.messages, false);
  }

  function enterRun(event: Fields): void {
    phase = "active";
    ledger.late = false;
    runs++;
    runId = event["runId"];
    const thread = event["threadId"];
    if (threadId !== undefined && thread !== threadId) {
      mismatch(
        event,
        `is on thread ${quoteId(thread)}, but ${runs === 1 ? "the input" : "the stream"} is on ${quoteId(threadId)}`,
        "Keep to one thread.",
      );
    }
    threadId = thread;
    if (producer) {
      if (runIds.has(runId)) {
        ledger.fault(
          "id-reused",
          event,
          runId,
          `has the runId ${quoteId(runId)} of an earlier run`,
          "Give each run an id of its own.",
        );
      }
      runIds.add(runId);
    } else checkVersion(event);
    if (runs === 1 && input?.runId !== undefined && runId !== input.runId) {
      mismatch(
        event,
        `starts run ${quoteId(runId)}, but the input is of ${quoteId(input.runId)}`,
        "Repeat the input's ids.",
      );
      runId = undefined;
    }
  }

  function mismatch(event: Fields, problem: string, remedy: string): void {
    ledger.fault("run-mismatch", event, event["runId"], problem, remedy);
  }

  function checkVersion(event: Fields): void {
    const version = event["protocolVersion"];
    if (version === undefined) return;
    const [, major, minor] = /^(\d+)\.(\d+)$/.exec(typeof version === "string" ? version : "") ?? [];
    const isKnown = major !== undefined && (Number(major) < 1 || (Number(major) === 1 && Number(minor) <= 1));
    if (isKnown) return;
    ledger.warn(
      "protocol-version",
      event,
      event["runId"],
      major === undefined
        ? "declares a protocol version that is not MAJOR.MINOR: it is read as 1.1"
        : `declares protocol version ${quoteId(version)}, which is newer than 1.1: it is read as 1.1`,
    );
  }

  function startAgain(event: Fields): void {
    ledger.fault(
      "duplicate-run-started",
      event,
      event["runId"],
      `starts run ${quoteId(event["runId"])} while run ${quoteId(runId)} is active`,
      "Send RUN_FINISHED or RUN_ERROR first.",
    );
    if (event["runId"] === runId) return;
    cutRunId = runId;
    quietly(() => startRun(event));
  }

  function finishRun(event: Fields): void {
    const { runId: id, threadId: thread } = event;
    if (id === cutRunId && id !== undefined && id !== runId) {
      cutRunId = undefined;
      return;
    }
    if (runId !== undefined && id !== runId) {
      mismatch(
        event,
        `ends run ${quoteId(id)}, but ${quoteId(runId)} is active`,
        "Repeat the runId of RUN_STARTED.",
      );
    } else if (runId !== undefined && thread !== threadId) {
      mismatch(
        event,
        `ends a run on thread ${quoteId(thread)}, but it started on ${quoteId(threadId)}`,
        "Repeat the threadId of RUN_STARTED.",
      );
      threadId = thread;
    }
    if (open.size > 0) {
      ledger.fault(
        "open-at-finish",
        event,
        open.entries()[0]!.id,
        `ends the run while ${openInWords(ledger)} ${open.size > 1 ? "are" : "is"} open`,
        "End what is open first.",
      );
    }
    checkOutcome(ledger, event);
    endRun("finished");
  }

  function endRun(how: "finished" | "failed"): void {
    phase = how;
    clear();
  }

  function clear(): void {
    ledger.late = false;
    ledger.tags.clear();
    open.clear();
    entities.forEach((table, kind) => {
      if (kinds[kind] === "toolCall" && producer) for (const id of table.keys()) ledger.earlierCalls.add(id);
      // An activity stays in the thread, for any later run to update; its owner does not.
      if (kinds[kind] === "activity") for (const id of table.keys()) table.set(id, assumed);
      else table.clear();
    });
  }

  /** Does what changes the state, without a word: the fault was told. */
  function quietly(change: () => void): void {
    const before = ledger.muted;
    ledger.muted = true;
    change();
    ledger.muted = before;
  }

  function createLanes(): ChunkLanes {
    return createChunkLanes({
      fault({ rule, id, problem, remedy }, chunk) {
        ledger.fault(rule, chunk, id, problem, remedy);
        const entity = rule === "owner-mismatch" && entities[rows[chunk.type]!.kind]!.get(id!);
        if (entity) entity.owner = anyone;
      },
      open: ({ kind, id }, chunk) => step(chunks[kind]!.opens, chunk, id, chunk.subagentRunId),
      continue({ kind, id, subagentRunId }, chunk) {
        // A chunk with nothing in it stands for no event.
        if (chunk.delta === undefined && chunk.rawEvent === undefined && chunk.metadata === undefined) return;
        step(chunks[kind]!.continues, chunk, id, chunk.subagentRunId ?? subagentRunId);
      },
      close: ({ kind, id, subagentRunId }) => step(chunks[kind]!.closes, atHand, id, subagentRunId),
    });
  }

  function unknownEvent(event: Fields): void {
    const problem = "is of no type that the protocol has";
    if (producer || typeof event !== "object" || (event as unknown) === null) {
      ledger.fault("unknown-event", event, undefined, problem, "Send private signals as CUSTOM or RAW.");
    } else ledger.warn("unknown-event", event, undefined, `${problem}: it is not checked`);
  }

  function isMalformed(event: Fields): boolean {
    const wrong = schemas!.check(event as unknown as AGUIEvent);
    if (wrong === undefined) return false;
    const { path, message } = wrong;
    ledger.fault(
      "invalid-event",
      event,
      undefined,
      `is malformed at ${path || "its root"}: ${message}`,
      "Mend that field.",
      path,
    );
    return true;
  }

  return {
    observe: observe,
    finish() {
      ledger.index++;
      const isEmpty = phase === "unstarted";
      if (!isEmpty && phase !== "active" && phase !== "assumed") return;
      ledger.fault(
        "truncated",
        undefined,
        runId,
        isEmpty ? "holds no run" : "ends while a run is active",
        "Send RUN_FINISHED or RUN_ERROR last; a reader keeps what came, and counts the run as neither success nor failure.",
      );
    },
    ledger,
    get active() {
      return phase !== "unstarted" && phase !== "finished" && phase !== "failed";
    },
  };
}

/** The id of an event's entity. Fields by name are read several times as fast as by a variable. */
function idOf(row: CompiledRow, event: Fields): string {
  switch (row.id) {
    case "messageId":
      return event["messageId"] as string;
    case "toolCallId":
      return event["toolCallId"] as string;
    case "stepName":
      return event["stepName"] as string;
    default:
      return event[row.id] as string;
  }
}
