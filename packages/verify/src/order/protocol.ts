import type { EntityKind, EntityKindRow, LifecycleRole, LifecycleRow } from "@agrx/core";
import type { Entity, Owner } from "./entity.js";

/** The protocol as data: the tables that drive the machine. */
export interface ProtocolTables {
  readonly lifecycle: Readonly<Record<string, LifecycleRow>>;
  readonly entityKinds: Readonly<Record<string, EntityKindRow>>;
}

/** The entities of a run by kind and id. */
export type EntityTables = Readonly<Record<EntityKind, Map<string, Entity>>>;

/** An event whose fields nobody has checked. */
export type Fields = Readonly<Record<string, unknown>> & { readonly type: string };

/** What an event of some role does inside a run. */
export type Act = (row: Row, event: Fields, id: string, tag: Owner) => void;

/** A row of the lifecycle table, made ready for one machine. */
export interface Row {
  /** What a message calls the event, when not by its type. */
  readonly subject?: string;
  readonly spec: LifecycleRow;
  readonly kind: Partial<EntityKindRow>;
  readonly role: LifecycleRole;
  /** The field with the id. */
  readonly id: string;
  readonly table: Map<string, Entity>;
}

/** What the roles of the lifecycle table do; nothing where one is missing. */
export type Rules = { readonly [R in LifecycleRole]?: Act };
