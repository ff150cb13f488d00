import { EventType, type AGUIEvent, type Violation } from "@agrx/core";
import type { VerifyOptions } from "../options.js";
import { anyone, loose, type Entity } from "./entity.js";
import { createOrderMachine, type OrderMachine } from "./order-machine.js";
import type { ProtocolTables, Row } from "./protocol.js";

/** A fault of the event at hand. */
interface Fault {
  readonly rule: string;
  readonly row: Row;
  readonly id: string;
  readonly entity: Entity | undefined;
  /** Part of what was told before. */
  readonly isEcho: boolean;
}

/** Ends a run, whatever is open. */
const abandon = { role: "closes", spec: { kind: "run", fails: true } } as Row;

/**
 * Makes a machine that goes on after a violation from the most likely state, so that one fault is told once.
 *
 * What is in doubt is open for whatever comes and need not be closed: an entity that is open but not in the
 * list of what is. Whose it is in doubt is {@link anyone}'s.
 */
export function createRecoveringMachine(
  options: VerifyOptions,
  report: (violation: Violation) => void,
  protocol?: ProtocolTables,
): Pick<OrderMachine, "observe" | "finish" | "ledger"> {
  const machine = createOrderMachine(options, tell, protocol);
  const { ledger } = machine;
  const { tables } = ledger;

  let faults: Fault[] = [];
  let isQuiet = false;
  /** A run whose start did not come, or that goes on after its end. */
  let doubt: "start" | "end" | undefined;
  /** Events that came between two runs count as this one's. */
  let hasStrays = false;
  /** The run that another start has cut off: its own end may still come. */
  let cutRunId: unknown;
  /** Entities of which nobody has seen the opener. */
  const guessed = new WeakSet<Entity>();
  /** Entities that were opened twice. */
  const doubled = new WeakSet<Entity>();
  /** Open calls without a tag inside messages that nobody has opened: whose they are may show later. */
  const orphans = new Map<string, string>();

  function tell(violation: Violation, entity: Entity | undefined): void {
    if (isQuiet) return;
    const { rule, id } = violation;
    const fault = { rule, row: ledger.row, id: id!, entity, isEcho: isEcho(violation, entity) };
    faults.push(fault);
    if (!fault.isEcho) report(violation);
  }

  function isEcho({ rule, id }: Violation, entity: Entity | undefined): boolean {
    const { row, event, runId } = ledger;
    const isOpener = row.role === "opens" && row.spec.kind !== "run";
    // Of one event a rule is told once, and of an opener, which has one id, one rule.
    for (const told of faults) {
      if (!told.isEcho && (isOpener || told.rule === rule || told.rule === "invalid-event")) return true;
    }
    const isOfAnyone = entity?.owner === anyone;
    const isInDoubt = entity?.open === loose;
    switch (rule) {
      case "not-open":
        // An end without an opener was told; what goes on with it then was not.
        return doubt === "end" || (isOfAnyone && !guessed.has(entity));
      case "owner-mismatch": {
        const { within } = row.spec;
        const host = within && tables[within.kind].get(event![within.id] as string);
        return isOfAnyone || host?.owner === anyone;
      }
      case "reopen-conflict":
      case "id-reused":
        if (entity && doubled.has(entity)) return true;
        return isOfAnyone || Object.values(tables).some((table) => guessed.has(table.get(id!)!));
      case "duplicate-start":
        return isInDoubt;
      case "out-of-order":
        return isInDoubt || (isOpener && hasStrays);
      case "run-mismatch":
        return row.role === "closes" && runId === undefined;
      case "duplicate-run-started":
        return doubt !== undefined;
      case "truncated":
        return doubt === "end";
      default:
        return false;
    }
  }

  /** What is most likely the state after a fault. */
  function recover({ rule, row, id, entity, isEcho }: Fault): void {
    const { event } = ledger;
    ledger.row = row;
    const { table, kind, role } = row;
    switch (rule) {
      case "not-started":
        assumeRun("start");
        return;
      case "run-ended":
        if (row.spec.kind !== "run") assumeRun("end");
        return;
      case "duplicate-run-started":
        startLate();
        return;
      case "run-mismatch":
        if (role === "opens") ledger.runId = undefined;
        else ledger.threadId = event!["threadId"];
        return;
      case "duplicate-start":
        if (isEcho) {
          entity!.open = undefined;
          repeat();
        } else {
          forgetOwner(id, entity);
          doubled.add(entity!);
        }
        return;
      case "not-open":
        notOpen(id, entity);
        return;
      case "owner-mismatch":
        if (isEcho || entity === undefined) return;
        forgetOwner(id, entity);
        if (kind.perOwner) doubtSteps(id);
        else if (role === "opens") {
          forgetOwner(id, table.get(id));
          doubtEntity(table.get(id));
          doubtEntity(entity);
        }
        // Perhaps not the tag is wrong but the id: then this one's own end is still to come.
        else if (role === "closes") entity.open = loose;
        return;
      case "id-reused":
        if (row.spec.kind === "run") ledger.runId = undefined;
        else if (role === "opens" && !isEcho) doubtEverything(id);
        return;
      case "unknown-id":
        if (role === "opens") guess(table, id, loose);
        else if (role === "answers") guess(table, id, undefined);
        return;
      case "chunk-without-id":
        if (id !== undefined && !table.has(id)) guess(table, id, undefined);
        return;
      case "out-of-order":
      case "reopen-conflict":
        // Perhaps it is the id that is wrong: then what was opened need not be closed.
        doubtEntity(entity ?? table.get(id));
        return;
      default:
    }
  }

  /** Does what the event at hand does, without a word. */
  function repeat(row = ledger.row): void {
    const { event } = ledger;
    quietly(() => machine.step(row, event!, event![row.id] as string, event!["subagentRunId"] as string));
  }

  function quietly(change: () => void): void {
    isQuiet = true;
    change();
    isQuiet = false;
  }

  function assumeRun(reason: "start" | "end"): void {
    ledger.phase = "active";
    ledger.runId = undefined;
    doubt = reason;
    repeat();
  }

  /** A start inside a run: the one that was missed, the same again, or one that cuts the run off. */
  function startLate(): void {
    const { row, event } = ledger;
    const { runId, threadId } = event!;
    if (doubt !== undefined) {
      ledger.runId = runId;
      ledger.threadId = threadId;
      // What came between the runs may belong to either.
      hasStrays = doubt === "end";
      if (hasStrays) for (const table of Object.values(tables)) table.forEach(doubtEntity);
      doubt = undefined;
    } else if (runId !== ledger.runId) {
      cutRunId = ledger.runId;
      quietly(() => machine.step(abandon, event!, "", undefined));
      repeat(row);
    }
  }

  /** Notes an entity whose opener nobody has seen. */
  function guess(table: Map<string, Entity>, id: string, open: Entity["open"]): void {
    const entity: Entity = { owner: anyone, open };
    guessed.add(entity);
    table.set(id, entity);
  }

  function doubtEntity(entity: Entity | undefined): void {
    if (entity?.open) entity.open = loose;
  }

  /** Which step of that name was meant is not certain: none has to be finished any more. */
  function doubtSteps(id: string): void {
    for (const step of tables.step.values()) if (step.open?.id === id) step.open = loose;
  }

  /** Which of the entities was meant to have the id is not certain. */
  function doubtEverything(id: string): void {
    for (const table of Object.values(tables)) {
      const entity = table.get(id);
      if (entity === undefined) continue;
      doubtEntity(entity);
      entity.owner = anyone;
    }
  }

  function notOpen(id: string, entity: Entity | undefined): void {
    const { table, role, kind } = ledger.row;
    shareOwner(id);
    if (role !== "closes") guess(table, id, loose);
    else if (entity === undefined && !kind.perOwner) guess(table, id, undefined);
  }

  /** The calls in a message of which nobody has seen the start are of its unknown owner. */
  function shareOwner(message: string): void {
    for (const [id, host] of orphans) {
      const call = tables.toolCall.get(id);
      if (call && host === message) call.owner = anyone;
    }
  }

  function forgetOwner(id: string, entity: Entity | undefined): void {
    if (entity) entity.owner = anyone;
    const { sameOwner } = ledger.row.kind;
    const kin = sameOwner && tables[sameOwner].get(id);
    if (kin) kin.owner = anyone;
    // The message that the call stands in was lost: its end may still come.
    const message = orphans.get(id);
    if (message === undefined) return;
    shareOwner(message);
    if (!tables.text.get(message)?.open) guess(tables.text, message, loose);
  }

  /** Follows the calls that stand in messages which nobody has opened. */
  function noteOrphan(): void {
    const { row, event } = ledger;
    const { within, id: idField } = row.spec;
    // An event of no known type has no id.
    if (idField === undefined) return;
    const id = event![idField] as string;
    if (row.role === "closes") orphans.delete(id);
    if (within === undefined || event!["subagentRunId"] !== undefined) return;
    const host = event![within.id] as string | undefined;
    if (host !== undefined && !tables[within.kind].has(host)) orphans.set(id, host);
  }

  const isEndOfCutRun = (event: AGUIEvent) =>
    cutRunId !== undefined &&
    event?.type === EventType.RUN_FINISHED &&
    event.runId === cutRunId &&
    event.runId !== ledger.runId;

  return {
    observe(event: AGUIEvent) {
      if (isEndOfCutRun(event)) {
        cutRunId = undefined;
        ledger.index++;
        return;
      }
      faults = [];
      machine.observe(event);
      for (const fault of faults) recover(fault);
      if (ledger.phase === "active") noteOrphan();
      else {
        doubt = undefined;
        hasStrays = false;
        orphans.clear();
      }
    },
    finish() {
      faults = [];
      machine.finish();
    },
    ledger,
  };
}
