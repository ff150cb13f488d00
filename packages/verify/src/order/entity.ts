/**
 * The owner of what a fault has made unclear: agrees with every tag, so that one fault is told once. Only
 * the recovery knows of it.
 */
export const anyone: unique symbol = Symbol("anyone");

/** Who opened an entity: a subagent's id, undefined for the parent agent, or {@link anyone}. */
export type Owner = string | undefined | typeof anyone;

/** What is kept of an id while it is open and, where a rule asks for it, afterwards. */
export interface Entity {
  owner: Owner;
  /** Whether it can go on: it was opened and has not ended. */
  isOpen: boolean;
}

/** What is kept of it for a producer. */
export interface ProducerEntity extends Entity {
  /** What the opener said in the fields that a later opener has to repeat. */
  first: unknown;
  second: unknown;
  /** Of a call: opened in this run and not answered; undefined when this run has not opened it. */
  pending: boolean | undefined;
}
