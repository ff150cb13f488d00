import { entityKinds, lifecycle, type EntityKind, type LifecycleRole } from "../protocol/lifecycle.js";
import { presentFields } from "../protocol/present-fields.js";
import { quoteId } from "../protocol/quote-id.js";
import type { AGUIEvent, EventTypeName } from "../protocol/vocabulary.js";
import type { Bracket } from "./bracket.js";
import type { Description } from "./describe-error.js";

/** A row of the lifecycle table, for code that asks the row and not the type. */
export interface EventRow {
  readonly role: LifecycleRole;
  readonly kind?: EntityKind;
  readonly id?: string;
  readonly fails?: true;
  readonly parent?: string;
  readonly restates?: string;
}

const rows: Readonly<Record<string, EventRow | undefined>> = lifecycle;

/** The row of an event; undefined when the protocol has no such event. */
export function rowOf(event: AGUIEvent): EventRow | undefined {
  return rows[event?.type];
}

/** A string field of an event, under the name that a row gives. */
export function fieldOf(event: AGUIEvent, field: string): string | undefined {
  return (event as unknown as Record<string, string | undefined>)[field];
}

type TypeOfKind = { readonly [K in EntityKind]?: EventTypeName };

/** The event type by which a kind is opened, closed, or closed as failed. */
function typesOf(matches: (row: EventRow) => boolean): TypeOfKind {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([type, row]) => (row?.kind && matches(row) ? [[row.kind, type]] : [])),
  );
}

export const openingTypes = typesOf((row) => row.role === "opens");
const closingTypes = typesOf((row) => row.role === "closes" && !row.fails);
const failingTypes = typesOf((row) => row.role === "closes" && row.fails === true);

/** Kinds whose entities are answered: for them an end says that everything was said. */
export const answeredKinds: ReadonlySet<EntityKind> = new Set(
  Object.values(rows).flatMap((row) => (row?.role === "answers" && row.kind ? [row.kind] : [])),
);

/** An entity in messages: `tool call "call-1"`. */
export function named(kind: EntityKind, id: unknown): string {
  return `${entityKinds[kind].label} ${quoteId(id)}`;
}

/** The event that closes a bracket, as failed where its kind can say so. */
export function closingEvent(bracket: Bracket, failure?: Description): AGUIEvent {
  const failing = failure && failingTypes[bracket.kind];
  const type = (failing ?? closingTypes[bracket.kind]) as EventTypeName;
  return presentFields({
    type,
    subagentRunId: bracket.owner,
    [rows[type]?.id as string]: bracket.id, // a subagent's own is its id
    ...(failing && { message: failure.message, code: failure.code }),
  }) as unknown as AGUIEvent;
}
