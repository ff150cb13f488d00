import type { Metadata } from "../protocol/vocabulary.js";

/** What builds up metadata: a message or a call. */
interface Target {
  metadata?: Metadata;
}

/** The target with an event's metadata: key by key, the last write wins. The very target when there is none. */
export function mergeMetadata<T extends Target>(target: T, { metadata }: Target): T {
  if (metadata === undefined) return target;
  return { ...target, metadata: { ...target.metadata, ...metadata } };
}
