import type { Entity } from "./entity.js";

/** An entity that is open, with its place in the protocol. */
export interface OpenEntry {
  readonly entity: Entity;
  readonly kind: number;
  readonly id: string;
}

/**
 * What is open, in the order in which it was opened.
 *
 * An entity keeps its position, so that closing costs the same however many are open or were closed.
 */
export interface OpenList {
  /** How many are open. */
  readonly size: number;
  add(entity: Entity, kind: number, id: string): void;
  /** Takes an open entity out; gives it the slot that says why it is no longer open. */
  remove(entity: Entity, slot: number): void;
  entries(): OpenEntry[];
  clear(): void;
}

/** Makes an empty {@link OpenList}. */
export function createOpenList(): OpenList {
  // Three lists side by side: an object an entry costs twice as much.
  let entities: (Entity | undefined)[] = [];
  let kinds: number[] = [];
  let ids: string[] = [];
  let holes = 0;

  function compact(): void {
    let to = 0;
    for (let from = 0; from < entities.length; from++) {
      const entity = entities[from];
      if (entity === undefined) continue;
      entity.slot = to;
      entities[to] = entity;
      kinds[to] = kinds[from]!;
      ids[to++] = ids[from]!;
    }
    entities.length = kinds.length = ids.length = to;
    holes = 0;
  }

  function add(entity: Entity, kind: number, id: string): void {
    entity.slot = entities.length;
    entities.push(entity);
    kinds.push(kind);
    ids.push(id);
  }

  return {
    get size() {
      return entities.length - holes;
    },
    add,
    remove(entity, slot) {
      if (entity.slot === entities.length - 1) {
        entities.pop();
        kinds.pop();
        ids.pop();
      } else {
        entities[entity.slot] = undefined;
        ids[entity.slot] = "";
        holes++;
        if (holes > 32 && holes > entities.length / 2) compact();
      }
      entity.slot = slot;
    },
    entries: () =>
      entities.flatMap((entity, at) => (entity ? [{ entity, kind: kinds[at]!, id: ids[at]! }] : [])),
    clear() {
      entities = [];
      kinds = [];
      ids = [];
      holes = 0;
    },
  };
}
