import type { AGUIEvent, Metadata } from "../protocol/vocabulary.js";

/**
 * One event for several deltas of the same entity: their texts joined, their metadata merged per key with the
 * last value winning (spec 1.1 basic/metadata), every other field from the first event that has it. One event
 * alone is given back as it is; of several the rawEvents are left out, since they are no one's any more.
 */
export function joinDeltas<E extends AGUIEvent>(events: readonly E[]): E {
  const [first] = events;
  if (first === undefined) throw new RangeError("There are no deltas to join.");
  if (events.length === 1) return first;
  const joined = { ...first } as Record<string, unknown>;
  const texts: string[] = [];
  const metadata: Metadata[] = [];
  for (const event of events as readonly Readonly<Record<string, unknown>>[]) {
    if (event["delta"] !== undefined) texts.push(event["delta"] as string);
    if (event["metadata"] !== undefined) metadata.push(event["metadata"] as Metadata);
    for (const field in event) joined[field] ??= event[field];
  }
  if (texts.length > 0) joined["delta"] = texts.join("");
  if (metadata.length > 1) joined["metadata"] = Object.fromEntries(metadata.flatMap(Object.entries));
  delete joined["rawEvent"];
  return joined as unknown as E;
}
