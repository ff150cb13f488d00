import type { OpenEntity } from "@agrx/core";

/**
 * The owner of what a fault has made unclear: agrees with every tag, so that one fault is told once. Only
 * the recovery knows of it.
 */
export const anyone: unique symbol = Symbol("anyone");

/** Who opened an entity: a subagent's id, undefined for the parent agent, or {@link anyone}. */
export type Owner = string | undefined | typeof anyone;

/** Where an open entity stands in the list of what has to be closed. */
export interface OpenEntry extends OpenEntity {
  readonly entity: Entity;
}

/** The entry of what may go on and end but need not be closed: an activity, or what a fault has made unclear. */
export const loose = {} as OpenEntry;

/** What is kept of an id while it is open and, where a rule asks for it, afterwards. */
export interface Entity {
  owner: Owner;
  /** Its entry, or {@link loose}, when it was opened and has not ended. */
  open: OpenEntry | undefined;
}

/** What is kept of it for a producer. */
export interface ProducerEntity extends Entity {
  /** What the opener said in the fields that a later opener has to repeat. */
  first: unknown;
  second: unknown;
  /** Of a call: opened in this run and not answered; undefined when this run has not opened it. */
  pending: boolean | undefined;
}
