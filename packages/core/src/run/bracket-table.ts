import { entityKinds, type EntityKind } from "../protocol/lifecycle.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { Bracket } from "./bracket.js";
import { answeredKinds, fieldOf, rowOf, type EventRow } from "./bracket-kinds.js";

/** What is open in a run; driven by the lifecycle table. */
export interface BracketTable {
  /** Announces an entity that a handle of the run, or a builder, is about to open. */
  reserve(opening: AGUIEvent, by: "handle" | "builder"): Bracket;
  /**
   * Follows one event. Gives the bracket that it opened, closed or, if a builder made it, continued;
   * undefined when that was not open, or when the event concerns no kind that has to be closed.
   */
  observe(event: AGUIEvent, row: EventRow): Bracket | undefined;
  /** Whether the entity that an event would open is open already. */
  isOpen(opening: AGUIEvent): boolean;
  /** What is open, innermost first. */
  open(): Bracket[];
  /** Whether the run may end it for its sender: anything but a tool call that came as plain events. */
  mayClose(bracket: Bracket): boolean;
  /** Whether a call of this id was started in this run. */
  hasCall(id: string): boolean;
  /** Ids of the calls started here that nobody answered, in the order of their start. */
  unanswered(): string[];
}

/** Where an entity stands among the open ones of its kind: a step name is a label, unique only per owner. */
function keyOf(kind: EntityKind, id: string, event: AGUIEvent): string {
  if (!entityKinds[kind].perOwner) return id;
  return `${fieldOf(event, "subagentRunId") ?? ""}\n${id}`;
}

/**
 * Makes the table of one run.
 *
 * @param ownCalls - ids of the calls that the run's own builders and handles made; `reserve` adds to it
 */
export function createBracketTable(ownCalls: Set<string>): BracketTable {
  // Made when first needed: most runs open only some kinds.
  const open: Partial<Record<EntityKind, Map<string, Bracket>>> = {};
  const inOrder = new Set<Bracket>();
  // Announced, and not opened yet: rarely more than one, since a builder's opening event follows at once.
  const reserved = new Set<Bracket>();
  const answers = new Map<string, boolean>();
  // While no builder works nobody needs to know how far its events have come: most events cost no look-up.
  let building = 0;

  function take(kind: EntityKind, id: string): Bracket | undefined {
    for (const bracket of reserved) {
      if (bracket.kind !== kind || bracket.id !== id) continue;
      reserved.delete(bracket);
      return bracket;
    }
    return undefined;
  }

  function opened(kind: EntityKind, id: string, event: AGUIEvent): Bracket {
    const bracket = take(kind, id) ?? createBracket(kind, id, undefined);
    bracket.owner = ownerOf(kind, event);
    bracket.open = true;
    bracket.seen = 1;
    (open[kind] ??= new Map<string, Bracket>()).set(keyOf(kind, id, event), bracket);
    inOrder.add(bracket);
    return bracket;
  }

  function closed(kind: EntityKind, key: string): Bracket | undefined {
    const bracket = open[kind]?.get(key);
    if (bracket === undefined) return undefined;
    bracket.open = false;
    if (bracket.builder !== "none") building -= 1;
    open[kind]?.delete(key);
    inOrder.delete(bracket);
    return bracket;
  }

  function noteCall(row: EventRow, kind: EntityKind, id: string): void {
    if (!answeredKinds.has(kind)) return;
    if (row.role === "answers") answers.set(id, true);
    else if (!answers.has(id)) answers.set(id, false);
  }

  return {
    reserve(opening, by) {
      const { kind, id } = subjectOf(opening);
      const bracket = createBracket(kind, id, ownerOf(kind, opening));
      if (by === "builder") {
        bracket.builder = "working";
        building += 1;
      }
      if (answeredKinds.has(kind)) ownCalls.add(id);
      reserved.add(bracket);
      return bracket;
    },

    observe(event, row) {
      if (row.role === "continues" && building === 0) return undefined;
      const { kind } = row;
      if (kind === undefined || row.id === undefined || !entityKinds[kind].mustClose) return undefined;
      const id = fieldOf(event, row.id);
      if (id === undefined) return undefined; // a chunk that goes on without naming its id
      switch (row.role) {
        case "continues": {
          const bracket = open[kind]?.get(keyOf(kind, id, event));
          if (bracket !== undefined) bracket.seen += 1;
          return bracket;
        }
        case "opens":
          noteCall(row, kind, id);
          return open[kind]?.get(keyOf(kind, id, event)) ?? opened(kind, id, event);
        case "closes":
          return closed(kind, keyOf(kind, id, event));
        default:
          noteCall(row, kind, id);
          return undefined;
      }
    },

    isOpen(opening) {
      const { kind, id } = subjectOf(opening);
      return open[kind]?.has(keyOf(kind, id, opening)) ?? false;
    },
    open: () => [...inOrder].reverse(),
    mayClose: ({ kind, id }) => !answeredKinds.has(kind) || ownCalls.has(id),
    hasCall: (id) => answers.has(id),
    unanswered: () => [...answers].filter(([, answered]) => !answered).map(([id]) => id),
  };
}

function ownerOf(kind: EntityKind, opening: AGUIEvent): string | undefined {
  return entityKinds[kind].ownership === "none" ? undefined : fieldOf(opening, "subagentRunId");
}

function createBracket(kind: EntityKind, id: string, owner: string | undefined): Bracket {
  return { kind, id, owner, open: false, builder: "none", sent: 0, seen: 0 };
}

function subjectOf(opening: AGUIEvent): { kind: EntityKind; id: string } {
  const row = rowOf(opening) as Required<EventRow>;
  return { kind: row.kind, id: fieldOf(opening, row.id) as string };
}
