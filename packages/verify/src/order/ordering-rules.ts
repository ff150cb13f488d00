import { quoteId, type AGUIEvent, type EntityKind, type RuleId } from "@agrx/core";
import type { VerifyOptions } from "../options.js";
import { loose, type Entity, type OpenEntry, type Owner, type ProducerEntity } from "./entity.js";
import type { Ledger, Report } from "./ledger.js";
import type { Fields, ProtocolTables, Row, Rules } from "./protocol.js";

/** The rules of the protocol: what events of each role may do. */
export interface OrderingRules {
  readonly ledger: Ledger;
  /** Does what an event does inside or outside a run, chunks apart. */
  step(row: Row, event: Fields, id: string, tag: Owner): void;
  /** An event comes from another agent than the one that owns the entity. */
  mismatch(id: string, entity: Entity, claimed: Owner): void;
}

interface HistoryMessage {
  readonly id: string;
  readonly role?: unknown;
  readonly name?: unknown;
  readonly subagentRunId?: string;
  readonly toolCalls?: unknown;
}

interface HistoryCall {
  readonly id: string;
  readonly function?: { readonly name?: unknown };
}

/** What of a list from outside has an id. */
const identified = <T extends { readonly id: string }>(list: unknown): readonly T[] =>
  Array.isArray(list)
    ? (list as readonly (T | null)[]).filter((item): item is T => typeof item?.id === "string")
    : [];

/** Under what an entity stands in its table: its id; a step has one for each owner. */
const keyOf = ({ kind }: Row, id: string, tag: Owner): string =>
  kind.perOwner ? JSON.stringify(tag) + JSON.stringify(id) : id;

export function createOrderingRules(
  { profile, input, onWarning }: VerifyOptions,
  { entityKinds }: ProtocolTables,
  report: Report,
): OrderingRules {
  const isProducer = profile === "producer";
  const tables = {} as Record<EntityKind, Map<string, Entity>>;
  for (const kind in entityKinds) tables[kind as EntityKind] = new Map();
  /** What was opened, in that order; also some of what has ended since. */
  let opened: OpenEntry[] = [];
  let mostOpened = 64;
  /** Subagents that tag events of this run; kept for producers. */
  const tags = new Set<unknown>();
  /** Activities of earlier runs stay in the thread. */
  const earlierActivities = new Set<string>();
  /** Calls of earlier runs may still be answered; kept for producers. */
  const earlierCalls = new Set<string>();
  const runIds = new Set<unknown>();
  let runs = 0;
  const ledger = {
    isProducer,
    tables,
    threadId: input?.threadId,
    index: -1,
    fault,
  } as Ledger;

  function fault(
    rule: RuleId,
    text: string,
    about: unknown,
    entity?: Entity,
    isError = true,
    path?: string,
  ): void {
    const { event, row, index } = ledger;
    const open = openNow().map(({ kind, id }) => ({ kind, id }));
    const ids = open.slice(0, 5).map(({ id }) => quoteId(id));
    const id = typeof about === "string" ? about : undefined;
    const message =
      `${row.subject ?? event!.type} (event ${index}) ` +
      text.replace("$", () => `${row.kind.label ?? "entity"} ${quoteId(about)}`) +
      (ids.length > 0 ? ` (${open.length} open: ${ids.join(", ")})` : "");
    if (isError) {
      report({ rule, event: event as unknown as AGUIEvent, index, id, open, message, path }, entity);
    } else onWarning?.({ code: rule, message, index, ...(id !== undefined && { id }) });
  }

  // --- what is told in several places ---

  function mismatch(id: string, entity: Entity, claimed: Owner): void {
    if (claimed === entity.owner) return;
    fault(
      "owner-mismatch",
      `has subagentRunId ${quoteId(claimed)}, but $ has ${quoteId(entity.owner)}. Repeat that.`,
      id,
      entity,
    );
  }

  function unknown(id: unknown, isError: boolean): void {
    fault("unknown-id", "names $, which is unknown. Show it first.", id, undefined, isError);
  }

  function reuse(id: unknown, entity?: Entity): void {
    fault("id-reused", `reuses the id ${quoteId(id)}. Take a new one.`, id, entity);
  }

  function agree(is: unknown, expected: unknown, runId: unknown): void {
    if (is === expected) return;
    fault("run-mismatch", `is of ${quoteId(is)}, not of ${quoteId(expected)}. Repeat that.`, runId);
  }

  /** An event of an entity that is there: of its owner, or of nobody. */
  const touch = (id: string, entity: Entity, tag: Owner) => {
    if (tag !== undefined) mismatch(id, entity, tag);
  };

  // --- what is kept of an entity ---

  /** Notes an entity; `said` is what its opener said in the fields that a later one has to repeat. */
  function note(
    table: Map<string, Entity>,
    key: string,
    owner: Owner,
    [first, second]: readonly unknown[] = [],
    open?: OpenEntry,
  ): Entity {
    const pending = open && true;
    const entity: Entity = isProducer
      ? ({ owner, open, first, second, pending } as ProducerEntity)
      : { owner, open };
    table.set(key, entity);
    return entity;
  }

  /** Notes an entity that came whole; `isNews` when it counts more than what the stream said before. */
  function noteWhole(
    table: Map<string, Entity>,
    id: string,
    owner: Owner,
    isNews: boolean,
    said: readonly unknown[],
  ): void {
    const entity = table.get(id);
    if (!entity) note(table, id, owner, said);
    else if (isNews) entity.owner = owner;
  }

  function restate(messages: unknown, isNews: boolean): void {
    for (const { id, role, name, subagentRunId, toolCalls } of identified<HistoryMessage>(messages)) {
      const kind = role === "reasoning" ? "reasoningMessage" : role === "activity" ? role : "text";
      noteWhole(tables[kind], id, subagentRunId, isNews, [name, role]);
      for (const call of identified<HistoryCall>(toolCalls)) {
        noteWhole(tables.toolCall, call.id, subagentRunId, isNews, [call.function?.name, id]);
      }
    }
  }

  const isMessage = (id: string, except?: Map<string, Entity>) =>
    [tables.text, tables.reasoningMessage, tables.activity].some(
      (table) => table !== except && table.has(id),
    );

  /** What has to be closed before the run ends, in the order in which it was opened. */
  function openNow(): readonly OpenEntry[] {
    opened = opened.filter((entry) => entry.entity.open === entry);
    mostOpened = 2 * opened.length + 64;
    return opened;
  }

  // --- runs ---

  function startRun({ runId, threadId, input: echo }: Fields): void {
    ledger.phase = "active";
    agree(threadId, ledger.threadId ?? threadId, runId);
    ledger.threadId = threadId;
    ledger.runId = runId;
    if (++runs === 1) agree(runId, input?.runId ?? runId, runId);
    restate((echo as { messages?: unknown } | null | undefined)?.messages, false);
    if (isProducer && runIds.size === runIds.add(runId).size) reuse(runId);
  }

  /** Nothing of a run stays but what a rule asks for in a later one. */
  function endRun(phase: Ledger["phase"]): void {
    ledger.phase = phase;
    for (const id of tables.activity.keys()) earlierActivities.add(id);
    if (isProducer) for (const id of tables.toolCall.keys()) earlierCalls.add(id);
    for (const table of Object.values(tables)) table.clear();
    opened = [];
    tags.clear();
  }

  function checkOutcome({ outcome, runId }: Fields): void {
    const { type, interrupts, pendingToolCallIds: listed } = (outcome ?? {}) as Record<string, unknown>;
    const invalid = (what: string) => fault("invalid-outcome", `has an outcome with ${what}.`, runId);
    if (type === "interrupt") {
      const ids = identified(interrupts).map(({ id }) => id);
      if (ids.length === 0) invalid("no interrupts. Send one");
      if (new Set(ids).size < ids.length) invalid("an interrupt id twice. Send it once");
    } else if (isProducer && outcome) {
      const pending = [...tables.toolCall].flatMap(([id, call]) =>
        (call as ProducerEntity).pending ? [id] : [],
      );
      if (type === "success" ? interrupts !== undefined : type !== "cancelled") {
        invalid("what its type has not. Leave it out");
      }
      if (Array.isArray(listed) && listed.length > 0 && JSON.stringify(listed) !== JSON.stringify(pending)) {
        invalid("other pendingToolCallIds than its unanswered calls. List those");
      }
    }
  }

  const runRules: Rules = {
    opens(_, __, id) {
      fault("duplicate-run-started", `starts $ inside run ${quoteId(ledger.runId)}. End that first.`, id);
    },

    closes({ spec }, event, id) {
      if (!spec.fails) {
        const [first] = openNow();
        agree(id, ledger.runId, id);
        agree(event["threadId"], ledger.threadId, id);
        if (first) fault("open-at-finish", "leaves something open. End it first.", first.id);
        checkOutcome(event);
      }
      endRun(spec.fails ? "failed" : "finished");
    },
  };

  // --- entities ---

  /** What goes on or ends is not open. */
  function missing({ kind, spec, table }: Row, id: string, tag: Owner, entity: Entity | undefined): void {
    for (const other of kind.perOwner ? openNow() : []) {
      if (other.kind === spec.kind && other.id === id) {
        mismatch(id, other.entity, tag);
        return;
      }
    }
    if (kind.mustClose) fault("not-open", "is for $, which is not open. Open it first.", id, entity);
    else {
      if (!earlierActivities.has(id)) unknown(id, isProducer);
      note(table, id, tag, [], loose);
    }
  }

  /** Shows an activity, which nothing opens or ends. */
  function show({ table, spec }: Row, event: Fields, id: string, tag: Owner): void {
    const entity = table.get(id);
    if (isProducer && !entity && isMessage(id)) reuse(id);
    // One that replaces what is there takes it over.
    if (!entity || event[spec.replaces!] !== false) note(table, id, tag, [], loose);
    else if (isProducer) touch(id, entity, tag);
  }

  const entityRules: Rules = {
    opens(row, event, id, tag) {
      const { table, spec, kind } = row;
      const key = keyOf(row, id, tag);
      let entity = table.get(key) as ProducerEntity | undefined;
      if (!kind.mustClose) {
        show(row, event, id, tag);
        return;
      }
      if (entity?.open) {
        fault("duplicate-start", "opens $, which is open. End it first.", id, entity);
        return;
      }
      let owner = tag;
      // An opener that names nobody, neither by a tag nor by its message, is of whoever opened it first.
      let claims = tag !== undefined;
      const host = spec.within && tables[spec.within.kind].get(event[spec.within.id] as string);
      const known = entity ?? (kind.sameOwner && tables[kind.sameOwner].get(id));
      if (host) {
        if (claims) mismatch(id, host, owner);
        owner = host.owner;
        claims = true;
      }
      if (known) {
        if (claims) mismatch(id, known, owner);
        owner = known.owner;
      }
      if (kind.reopen === "refused") {
        const parent = event[spec.parent!] as string | undefined;
        if (entity) reuse(id, entity);
        else if (tags.has(id)) fault("out-of-order", "opens $ after events of it. Announce it first.", id);
        if (parent !== undefined && !table.has(parent)) unknown(parent, true);
      }
      const said =
        isProducer && spec.keeps ? spec.keeps.map(({ field, absent }) => event[field] ?? absent) : [];
      if (!entity) {
        if (isProducer && kind.message && isMessage(id, table)) reuse(id);
        entity = note(table, key, owner, said, loose) as ProducerEntity;
      } else if (isProducer) {
        const before = [entity.first, entity.second];
        const at = said.findIndex((value, at) => value !== undefined && value !== before[at]);
        if (at >= 0) {
          const { field } = spec.keeps![at]!;
          fault("reopen-conflict", `opens $ with another ${field}. Repeat the first.`, id, entity);
        }
        entity.pending ??= true;
      }
      entity.open = { kind: spec.kind!, id, entity };
      if (opened.push(entity.open) > mostOpened) openNow();
    },

    continues(row, _, id, tag) {
      const entity = row.table.get(id);
      if (entity?.open) touch(id, entity, tag);
      else missing(row, id, tag, entity);
    },

    closes(row, _, id, tag) {
      const { table, kind } = row;
      const key = keyOf(row, id, tag);
      const entity = table.get(key);
      if (entity?.open) {
        touch(id, entity, tag);
        entity.open = undefined;
        // Nothing is asked of a step that has ended.
        if (kind.perOwner) table.delete(key);
      } else missing(row, id, tag, entity);
    },

    answers({ table, spec }, event, id, tag) {
      const call = table.get(id) as ProducerEntity | undefined;
      const minted = event[spec.mints!] as string;
      if (call?.open) fault("out-of-order", "answers $ before its end. End it first.", id, call);
      if (isProducer) {
        if (call) call.pending = false;
        else if (!earlierCalls.has(id)) unknown(id, true);
        if (call && input?.tools?.some(({ name }) => name === call.first)) {
          fault("frontend-tool-answered", "answers $, of a tool of the client.", id, call, false);
        }
        if (isMessage(minted)) reuse(minted);
      }
      noteWhole(tables.text, minted, tag, true, [undefined, "tool"]);
    },

    annotates({ spec }, event, id, tag) {
      const { field, kinds } = spec.targets!;
      let entity: Entity | undefined;
      for (const target in kinds) {
        if (event[field] === target) for (const kind of kinds[target]!) entity ??= tables[kind].get(id);
      }
      if (entity) touch(id, entity, tag);
      // What earlier runs opened is not kept.
      else if (runs === 1) unknown(id, false);
    },

    standalone({ spec }, event) {
      restate(spec.restates && event[spec.restates], true);
    },
  };

  // --- every event ---

  function step(row: Row, event: Fields, id: string, tag: Owner): void {
    const { spec, role, kind } = row;
    const { phase } = ledger;
    const isRun = spec.kind === "run";
    const rules = isRun ? runRules : entityRules;
    ledger.row = row;
    if (phase === "active") rules[role]?.(row, event, id, tag);
    else if (isRun && role === "opens") startRun(event);
    else if (isRun && spec.fails && phase !== "failed") endRun("failed");
    else fault(phase ? "run-ended" : "not-started", "is outside a run. Send RUN_STARTED first.", id);
    // Of a subagent's own events it is the id.
    if (isProducer && tag !== undefined && kind.ownership !== "none") tags.add(tag);
  }

  restate(input?.messages, false);
  return { ledger, step, mismatch };
}
