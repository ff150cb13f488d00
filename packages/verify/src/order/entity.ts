/** The owner of what a fault has made unclear: agrees with every tag, so that one fault is told once. */
export const anyone: unique symbol = Symbol("anyone");

/** Who opened an entity: a subagent's id, undefined for the parent agent, or {@link anyone}. */
export type Owner = string | undefined | typeof anyone;

/** The slot of what is not open. */
export const CLOSED = -1;
/** The slot of what a fault makes us take for open: it may go on, end and open, and need not be closed. */
export const ASSUMED = -2;

/** What is kept of an id while it is open and, where a rule asks for it, afterwards. */
export interface Entity {
  owner: Owner;
  /** Its position in the list of what is open, or {@link CLOSED} or {@link ASSUMED}. */
  slot: number;
}

/** What is kept of it for a producer. */
export interface ProducerEntity extends Entity {
  /** What the opener said in the first and the second field that a later opener has to repeat. */
  first: unknown;
  second: unknown;
  /** Of a call: opened in this run and not answered; undefined when this run has not opened it. */
  pending: boolean | undefined;
}

/** A step: two owners may have one of the same name open. */
export interface Label extends Entity {
  next: Label | undefined;
}

/** Stand for ids of which a fault has hidden the opener. */
export const assumed: Entity = { owner: anyone, slot: ASSUMED };
export const forgotten: Entity = { owner: anyone, slot: CLOSED };
