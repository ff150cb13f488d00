import type { AGUIEvent } from "../protocol/vocabulary.js";
import { defaultFields } from "./events.js";
import { ANY_EVENT, byType } from "./notation.js";

/**
 * Writes events as {@link runMarbles} reads them: one line, one word an event.
 *
 * Reading the line gives equal events again, of any events that are JSON. What no word can say, such as an
 * unknown type or a missing required field, is written out as `event={...}`.
 *
 * @example
 * ```ts
 * import { events, toRunMarbles } from "@agrx/core/testing";
 *
 * console.log(toRunMarbles([events.toolCallArgs({ delta: "{}" }), events.toolCallEnd()])); // call:c"{}" call-c
 * ```
 */
export function toRunMarbles(events: Iterable<AGUIEvent>): string {
  return Array.from(events, toWord).join(" ");
}

function toWord(event: AGUIEvent): string {
  const notation = byType.get(event.type);
  const rest = new Map(Object.entries(event).filter(([, value]) => value !== undefined));
  if (notation === undefined) return ANY_EVENT + JSON.stringify(event);
  for (const [field, value] of Object.entries(defaultFields[notation.type])) {
    if (!rest.has(field)) return ANY_EVENT + JSON.stringify(event);
    const isDefault = JSON.stringify(rest.get(field)) === JSON.stringify(value);
    if (isDefault && (field !== notation.id || field === "runId")) rest.delete(field);
  }
  rest.delete("type");

  let word = notation.word;
  const say = (field: string | undefined, show: (value: unknown) => string | undefined) => {
    if (field === undefined || !rest.has(field)) return;
    const shown = show(rest.get(field));
    if (shown === undefined) return;
    word += shown;
    rest.delete(field);
  };
  say(notation.id, (value) => plain(value, /^[^\s/@"'&{[]+$/, ""));
  say(notation.second, (value) => plain(value, /^[^\s@"'&{[]+$/, "/"));
  say("subagentRunId", (value) => plain(value, /^[^\s"'&{[]+$/, "@"));
  say(notation.payload, (value) => {
    if (!notation.json) return typeof value === "string" ? quoted(value) : undefined;
    // A number, a boolean or null would be read as part of the id or of what else stands before it.
    const standsApart = typeof value === "string" || (typeof value === "object" && value !== null);
    const isAlone = notation.id === undefined && word === notation.word;
    return standsApart || isAlone ? JSON.stringify(value) : undefined;
  });
  return rest.size === 0 ? word : `${word}&${JSON.stringify(Object.fromEntries(rest))}`;
}

function plain(value: unknown, allowed: RegExp, sign: string): string | undefined {
  return typeof value === "string" && allowed.test(value) ? sign + value : undefined;
}

function quoted(text: string): string {
  const double = JSON.stringify(text);
  if (!text.includes('"') || text.includes("'")) return double;
  return `'${double.slice(1, -1).replaceAll('\\"', '"')}'`;
}
