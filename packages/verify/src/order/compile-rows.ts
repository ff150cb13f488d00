import {
  entityKinds,
  lifecycle,
  type EntityKind,
  type EntityKindRow,
  type KeptField,
  type LifecycleRow,
} from "@agrx/core";

/** The protocol as data: the tables that drive the machine. */
export interface ProtocolTables {
  readonly lifecycle: Readonly<Record<string, LifecycleRow>>;
  readonly entityKinds: Readonly<Record<string, EntityKindRow>>;
}

/** What the machine does at an event. */
export type Act =
  | "pass"
  | "open"
  | "continue"
  | "close"
  /** Opens and closes what two owners may have open at once under one name: steps. */
  | "openLabel"
  | "closeLabel"
  /** Opens what is never opened twice: a subagent. */
  | "announce"
  /** Shows and updates what never closes: an activity. */
  | "show"
  | "update"
  | "answer"
  | "annotate"
  | "restate"
  | "startRun"
  | "finishRun"
  | "failRun"
  | "chunk";

/** A row of the lifecycle table, made ready: a kind is a position in the list of kinds, -1 for none. */
export interface CompiledRow {
  readonly act: Act;
  readonly row: LifecycleRow;
  readonly kind: number;
  /** The field with the id; "" for none. */
  readonly id: string;
  readonly label: string;
  /** The kind that has the same owner under the same id. */
  readonly kin: number;
  /** The kind of the entity that it opens inside. */
  readonly within: number;
  /** The kind of the message that it makes. */
  readonly mints: number;
  readonly keeps: readonly KeptField[];
  /** The other kinds whose ids are messages' too; empty when this kind's are none. */
  readonly otherMessages: readonly number[];
}

/** The rows of the events that a chunk of one kind stands for. */
export interface ChunkRows {
  readonly opens: CompiledRow;
  readonly continues: CompiledRow;
  readonly closes: CompiledRow;
}

/** The tables, made ready for one look-up an event. */
export interface CompiledTables {
  /** Has no prototype: an event's type is the sender's and may be `__proto__`. */
  readonly rows: Readonly<Record<string, CompiledRow>>;
  readonly kinds: readonly string[];
  readonly chunks: Readonly<Record<string, ChunkRows>>;
}

/** Makes the tables ready; for the protocol's own that happens once. */
export function compileRows({ lifecycle, entityKinds }: ProtocolTables): CompiledTables {
  const kinds = Object.keys(entityKinds);
  const all = Object.entries(lifecycle);
  const rows = Object.create(null) as Record<string, CompiledRow>;
  const rowOf = (kind: EntityKind, role: string) =>
    all.find(([, row]) => row.kind === kind && row.role === role);

  for (const [type, row] of all) {
    const { label = "", message, sameOwner } = (row.kind && entityKinds[row.kind]) || {};
    rows[type] = {
      act: actOf(row),
      row,
      kind: kinds.indexOf(row.kind!),
      id: row.id ?? "",
      label,
      kin: kinds.indexOf(sameOwner!),
      within: kinds.indexOf(row.within?.kind as string),
      mints: row.mints === undefined ? -1 : kinds.indexOf("text"),
      keeps: row.keeps ?? [],
      otherMessages: kinds.flatMap((kind, at) =>
        message && kind !== row.kind && entityKinds[kind]!.message ? [at] : [],
      ),
    };
  }

  const chunks = Object.create(null) as Record<string, ChunkRows>;
  for (const { role, kind } of Object.values(lifecycle)) {
    if (role !== "chunk") continue;
    const explicit = (wanted: string) => rows[rowOf(kind!, wanted)![0]]!;
    chunks[kind!] = {
      opens: explicit("opens"),
      continues: explicit("continues"),
      closes: explicit("closes"),
    };
  }

  function actOf({ role, kind, restates, fails }: LifecycleRow): Act {
    if (restates) return "restate";
    if (role === "annotates") return "annotate";
    if (kind === undefined || role === "standalone") return "pass";
    if (role === "chunk") return "chunk";
    if (role === "answers") return "answer";
    if (kind === "run") return role === "opens" ? "startRun" : fails ? "failRun" : "finishRun";
    const closable = rowOf(kind, "closes") !== undefined;
    if (role === "continues") return closable ? "continue" : "update";
    const { perOwner, reopen } = entityKinds[kind]!;
    if (role === "closes") return perOwner ? "closeLabel" : "close";
    if (!closable) return "show";
    return reopen === "refused" ? "announce" : perOwner ? "openLabel" : "open";
  }

  return { rows, kinds, chunks };
}

/** The protocol's own tables. */
export const protocolRows: CompiledTables = /* @__PURE__ */ compileRows({ lifecycle, entityKinds });
