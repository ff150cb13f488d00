import type { MessageToolCall } from "@agrx/core";
import { metadataKeys } from "../metadata-keys.js";

/** What a provider accepts as the id of a call. */
export interface CallIdRule {
  /** Matches one character that is not allowed. */
  readonly illegal: RegExp;
  readonly maxLength: number;
  /** Whether ids must have exactly `maxLength` characters. */
  readonly exact?: boolean;
}

/**
 * Gives calls ids that their provider accepts: the same call the same id, two calls two ids.
 *
 * The provider's own id goes back to it where the run had renamed the call; an illegal id is replaced by
 * one derived from it, so that the same history always makes the same request.
 */
export function createCallIds(rule: CallIdRule): (call: MessageToolCall) => string {
  const given = new Map<string, string>();
  const taken = new Set<string>();
  return (call) => {
    const known = given.get(call.id);
    if (known !== undefined) return known;
    const original: unknown = call.metadata?.[metadataKeys.providerCallId];
    const candidates = typeof original === "string" ? [original, call.id] : [call.id];
    let id = candidates.find((candidate) => isLegal(candidate, rule) && !taken.has(candidate));
    for (let attempt = 0; id === undefined; attempt++) {
      const derived = derive(call.id, attempt, rule);
      if (!taken.has(derived)) id = derived;
    }
    given.set(call.id, id);
    taken.add(id);
    return id;
  };
}

function isLegal(id: string, { illegal, maxLength, exact }: CallIdRule): boolean {
  const fits = exact ? id.length === maxLength : id.length > 0 && id.length <= maxLength;
  return fits && !illegal.test(id);
}

/** FNV-1a: short, without a Node built-in, and the same everywhere. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(36).padStart(7, "0");
}

function derive(id: string, attempt: number, { illegal, maxLength, exact }: CallIdRule): string {
  const suffix = hash(attempt === 0 ? id : `${id}#${attempt}`);
  if (exact) return (suffix + hash(suffix + id)).slice(0, maxLength);
  const legal = id.replace(new RegExp(illegal.source, "g"), "_").slice(0, maxLength - suffix.length - 1);
  return `${legal}_${suffix}`;
}
