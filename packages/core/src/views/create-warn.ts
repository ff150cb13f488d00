import { quoteId } from "../protocol/quote-id.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import type { Warning, WarningOptions } from "../protocol/warning.js";

/** Tells of an event that was dropped, in whole or in part: a code, the id concerned and why. */
export type Warn = (event: AGUIEvent, code: string, id: string | undefined, why: string) => Warning;

/** Makes a `Warn` that counts on being told of each event's index. */
export function createWarn({ onWarning }: WarningOptions, index: () => number): Warn {
  return (event, code, id, why) => {
    const of = id === undefined ? "" : `, id ${quoteId(id)}`;
    const message = `${event.type} (event ${index()}${of}) was dropped: ${why}`;
    const warning: Warning = { code, message, index: index(), ...(id !== undefined && { id }) };
    onWarning?.(warning);
    return warning;
  };
}
