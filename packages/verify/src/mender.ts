import {
  entityKinds,
  lifecycle,
  quoteId,
  readArguments,
  type AGUIEvent,
  type EntityKind,
  type EntityKindRow,
  type LifecycleRow,
} from "@agrx/core";
import type { VerifyOptions } from "./options.js";
import type { Repair } from "./repair-report.js";

/** Mends a stream, event by event. */
export interface Mender {
  push(event: AGUIEvent, emit: Emit): void;
  /** The stream ended: lets go of what still waits. */
  end(emit: Emit): void;
}

type Emit = (event: AGUIEvent) => void;
type Fields = Readonly<Record<string, unknown>>;
type Change = Omit<Repair, "index">;

/** What is known of an entity: the event that opened it and, for a call, the text of its arguments so far. */
interface Known {
  readonly kind: EntityKind;
  readonly id: string;
  readonly opener: AGUIEvent;
  isOpen: boolean;
  text: string;
  /** Results that came before the call's end. */
  readonly waiting: AGUIEvent[];
}

/** The events that open and close each kind, by the lifecycle table. */
const openings = byKind((row) => row.role === "opens");
const closings = byKind((row) => row.role === "closes" && !row.fails);

/** What an opening needs beside the id, for the kinds that can be opened without being told more. */
const openable: { readonly [K in EntityKind]?: Fields } = {
  text: { role: "assistant" },
  reasoning: {},
  reasoningMessage: { role: "reasoning" },
  step: {},
};

/**
 * Makes the mender of one stream. It follows the brackets by the lifecycle table and changes only what
 * {@link Repair} names; whether the result is legal, a verifier behind it says.
 */
export function createMender({ input }: VerifyOptions, onChange: (change: Change) => void): Mender {
  const known = new Map<string, Known>();
  let started: Fields | undefined;
  let ended: AGUIEvent | undefined;

  const insert = (event: AGUIEvent, rule: Change["rule"], why: string, emit: Emit, id?: string) => {
    onChange({ rule, change: "inserted", event, id, message: `${event.type} was inserted: ${why}.` });
    emit(event);
  };
  const drop = (event: AGUIEvent, rule: Change["rule"], why: string, id?: string) => {
    onChange({ rule, change: "dropped", event, id, message: `${event.type} was dropped: ${why}.` });
  };

  const open = (kind: EntityKind, id: string, opener: AGUIEvent) => {
    const key = keyOf(kind, id, opener);
    const text = known.get(key)?.text ?? ""; // a reopened call goes on with its text
    known.delete(key); // opened anew, it is the innermost
    known.set(key, { kind, id, opener, isOpen: true, text, waiting: [] });
  };

  const close = (entity: Known, emit: Emit) => {
    entity.isOpen = false;
    for (const result of entity.waiting.splice(0)) emit(result);
  };

  /** The event that would open an entity, when all that it has to say is known. */
  const openingOf = (kind: EntityKind, id: string, event: AGUIEvent, entity: Known | undefined) => {
    if (entity) return entity.opener;
    const fields = openable[kind];
    const type = openings[kind];
    if (fields === undefined || type === undefined) return undefined;
    return { type, [idField(type)]: id, ...fields, ...tagOf(event) } as unknown as AGUIEvent;
  };

  const isWhole = ({ text }: Known) => readArguments(text).status === "complete";

  const mendBracket = (row: LifecycleRow, kind: EntityKind, event: AGUIEvent, emit: Emit) => {
    const id = (event as unknown as Fields)[row.id ?? ""] as string;
    const entity = known.get(keyOf(kind, id, event));
    const name = `${entityKinds[kind].label} ${quoteId(id)}`;
    const reopen = (opening: AGUIEvent | undefined) => {
      if (opening === undefined) return;
      insert(opening, "not-open", `${name} was not open`, emit, id);
      open(kind, id, opening);
    };
    switch (row.role) {
      case "opens":
        if (entity?.isOpen && saysTheSame(entity.opener, event)) {
          drop(event, "duplicate-start", `${name} is open already`, id);
          return;
        }
        open(kind, id, event);
        break;
      case "continues":
        if (!entity?.isOpen) reopen(openingOf(kind, id, event, entity));
        if (kind === "toolCall") {
          const call = known.get(keyOf(kind, id, event));
          if (call) call.text += String((event as unknown as Fields)["delta"]);
        }
        break;
      case "closes": {
        if (entity && !entity.isOpen) {
          drop(event, "not-open", `${name} has ended already`, id);
          return;
        }
        if (!entity) reopen(openingOf(kind, id, event, entity));
        emit(event);
        const closed = known.get(keyOf(kind, id, event));
        if (closed) close(closed, emit);
        return;
      }
      case "answers":
        if (entity?.isOpen) {
          onChange({
            rule: "out-of-order",
            change: "moved",
            event,
            id,
            message: `${event.type} waits for the end of ${name}.`,
          });
          entity.waiting.push(event);
          return;
        }
        break;
      default:
        break;
    }
    emit(event);
  };

  /** Ends what is open before RUN_FINISHED, but for calls whose text an end would misrepresent. */
  const closeAll = (emit: Emit) => {
    for (const entity of [...known.values()].reverse()) {
      const { kind, id, opener, isOpen } = entity;
      const type = closings[kind];
      if (!isOpen || type === undefined || !entityKinds[kind].mustClose) continue;
      if (kind === "subagent" || (kind === "toolCall" && !isWhole(entity))) continue;
      const closing = { type, [idField(type)]: id, ...tagOf(opener) } as unknown as AGUIEvent;
      const name = `${entityKinds[kind].label} ${quoteId(id)}`;
      insert(closing, "open-at-finish", `${name} was open when the run finished`, emit, id);
      close(entity, emit);
    }
  };

  const letGo = (emit: Emit) => {
    for (const entity of known.values()) for (const result of entity.waiting.splice(0)) emit(result);
  };

  const mendRun = (row: LifecycleRow, event: AGUIEvent, emit: Emit) => {
    if (row.role === "opens") {
      if (started && !ended && saysTheSame(started, event)) {
        drop(event, "duplicate-run-started", "the run has started already");
        return;
      }
      known.clear();
      started = event;
      ended = undefined;
    } else {
      if (ended && saysTheSame(ended, event)) {
        drop(event, "run-ended", "the run has ended with the same event already");
        return;
      }
      if (!row.fails) closeAll(emit);
      letGo(emit);
      ended = event;
    }
    emit(event);
  };

  return {
    push(event, emit) {
      const row: LifecycleRow | undefined = lifecycle[event.type];
      const isRun = row?.kind === "run";
      if (!started && !(isRun && (row.role === "opens" || row.fails)) && input?.threadId && input.runId) {
        const { threadId, runId } = input;
        const start = { type: openings.run, threadId, runId } as unknown as AGUIEvent;
        insert(start, "not-started", "the stream began without it", emit, runId);
        started = start;
      }
      if (row === undefined || row.kind === undefined || row.role === "chunk" || row.kind === "activity")
        emit(event);
      else if (isRun) mendRun(row, event, emit);
      else mendBracket(row, row.kind, event, emit);
    },
    end: letGo,
  };
}

function keyOf(kind: EntityKind, id: string, event: AGUIEvent): string {
  const { perOwner }: EntityKindRow = entityKinds[kind];
  return JSON.stringify(perOwner ? [kind, id, tagOf(event).subagentRunId] : [kind, id]);
}

function tagOf(event: AGUIEvent): { subagentRunId?: string } {
  const { subagentRunId } = event as { subagentRunId?: string };
  return subagentRunId === undefined ? {} : { subagentRunId };
}

/** Whether two events say the same, when and from what they were made apart. */
function saysTheSame(one: object, other: object): boolean {
  return wordsOf(one) === wordsOf(other);
}

function wordsOf(event: object): string {
  const fields = Object.entries(event).filter(([name]) => name !== "timestamp" && name !== "rawEvent");
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function idField(type: string): string {
  return (lifecycle as Readonly<Record<string, LifecycleRow>>)[type]?.id ?? "";
}

function byKind(isWanted: (row: LifecycleRow) => boolean): { readonly [K in EntityKind]?: string } {
  const rows = Object.entries(lifecycle as Readonly<Record<string, LifecycleRow>>);
  return Object.fromEntries(
    rows.flatMap(([type, row]) => (row.kind && isWanted(row) ? [[row.kind, type]] : [])),
  );
}
