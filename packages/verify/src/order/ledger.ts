import {
  quoteId,
  type AGUIEvent,
  type EntityKind,
  type OpenEntity,
  type RuleId,
  type Violation,
} from "@agrx/core";
import type { VerifyOptions } from "../options.js";
import type { CompiledRow, CompiledTables } from "./compile-rows.js";
import { anyone, type Entity, type Owner } from "./entity.js";
import { createOpenList, type OpenList } from "./open-list.js";

/** An event whose fields nobody has checked. */
export type Fields = Readonly<Record<string, unknown>> & { readonly type: string };

/** An open entity with its owner. */
export interface OpenBracket extends OpenEntity {
  readonly owner: string | undefined;
}

/** What the machine knows and whom it tells: the rules read and write it. */
export interface Ledger {
  readonly producer: boolean;
  readonly kinds: readonly string[];
  /** The entities by id, a table for each kind. */
  readonly tables: readonly Map<string, Entity>[];
  /** What has to be closed before the run ends. */
  readonly open: OpenList;
  /** Position of the event at hand, from 0. */
  index: number;
  /** The event at hand is part of a fault that was told: nothing more is said of it. */
  muted: boolean;
  /** Events came after a run's end: what they continue may have been opened before it. */
  late: boolean;
  /** Tools that the client offered and answers itself. */
  readonly clientTools: ReadonlySet<unknown>;
  /** Calls of earlier runs; kept for producers. */
  readonly earlierCalls: Set<string>;
  /** Subagents that tag events of this run; kept for producers. */
  readonly tags: Set<unknown>;
  fault(
    rule: RuleId,
    event: Fields | undefined,
    id: unknown,
    problem: string,
    remedy: string,
    path?: string,
  ): void;
  warn(code: string, event: Fields, id: unknown, problem: string): void;
}

export function createLedger(
  { profile, input, onWarning }: VerifyOptions,
  { kinds, rows }: CompiledTables,
  report: (violation: Violation) => void,
): Ledger {
  const say = (event: Fields | undefined, problem: string) => {
    if (event === undefined) return `The stream, after ${ledger.index} events, ${problem}.`;
    const type = (event as Fields | null)?.type;
    return `${typeof type === "string" && rows[type] ? type : quoteId(type)} (event ${ledger.index}) ${problem}.`;
  };

  const ledger: Ledger = {
    producer: profile === "producer",
    kinds,
    tables: kinds.map(() => new Map<string, Entity>()),
    open: createOpenList(),
    index: -1,
    muted: false,
    late: false,
    clientTools: new Set(input?.tools?.map(({ name }) => name)),
    earlierCalls: new Set(),
    tags: new Set(),
    fault(rule, event, id, problem, remedy, path) {
      if (ledger.muted) return;
      report({
        rule,
        event: event as unknown as AGUIEvent | undefined,
        index: ledger.index,
        id: typeof id === "string" ? id : undefined,
        open: openNow(ledger).map(({ kind, id }) => ({ kind, id })),
        message: `${say(event, problem)} ${remedy}`,
        ...(path !== undefined && { path }),
      });
    },
    warn(code, event, id, problem) {
      if (ledger.muted || onWarning === undefined) return;
      const warning = { code, message: say(event, problem), index: ledger.index };
      onWarning(typeof id === "string" ? { ...warning, id } : warning);
    },
  };
  return ledger;
}

/** The table of a kind that a rule names. */
export function tableOf({ tables, kinds }: Ledger, kind: EntityKind): Map<string, Entity> {
  return tables[kinds.indexOf(kind)]!;
}

/** What is open, in the order in which it was opened. */
export function openNow({ open, kinds }: Ledger): OpenBracket[] {
  return open.entries().map(({ entity: { owner }, kind, id }) => ({
    kind: kinds[kind] as EntityKind,
    id,
    owner: owner === anyone ? undefined : owner,
  }));
}

/** What is open, in words; a few of many. */
export function openInWords(ledger: Ledger): string {
  const open = openNow(ledger);
  const shown = open.slice(0, 5).map(({ id }) => quoteId(id));
  return shown.join(", ") + (open.length > shown.length ? `, and ${open.length - shown.length} more` : "");
}

export const nameOf = ({ label }: CompiledRow, id: unknown): string => `${label} ${quoteId(id)}`;

export const agentOf = (owner: Owner): string =>
  owner === undefined ? "the parent agent" : `subagent ${quoteId(owner)}`;
