import type { Metadata } from "../protocol/vocabulary.js";
import { keepEqual } from "./keep-equal.js";

/** What builds up metadata: a message or a call. */
interface Target {
  metadata?: Metadata;
}

/** The target with an event's metadata: key by key, the last write wins. The very target when nothing changes. */
export function mergeMetadata<T extends Target>(target: T, event: Target): T {
  if (event.metadata === undefined) return target;
  const metadata = keepEqual(target.metadata, { ...target.metadata, ...event.metadata });
  return metadata === target.metadata ? target : { ...target, metadata };
}
