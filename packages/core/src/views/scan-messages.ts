import type { OperatorFunction } from "rxjs";
import type { AGUIEvent, Message } from "../protocol/vocabulary.js";
import type { WarningOptions } from "../protocol/warning.js";
import { scanFold } from "./fold.js";
import { MessagesFold } from "./fold-messages.js";

/**
 * Builds the messages of a thread from its events.
 *
 * ```text
 * source:          --S--a--b--E--|      S opens m, a and b are text of it
 * scanMessages()
 * result:          --1--2--3-----|      1: [""]  2: ["a"]  3: ["ab"]
 * ```
 *
 * Emits the list after each event that changes it, synchronously. The list and its messages are never changed
 * later; what an event does not change keeps its reference, also when a snapshot tells it again. An event costs
 * the message that it changes and one copy of the list.
 *
 * Events have to be explicit: put `expandChunks()` before this, and `parseEvents()` before that when they come
 * from outside. Completes and errors with the source; what it cannot place is dropped with a warning:
 * `unknown-id` (nothing has the id), `role-conflict` (the message holds no text, the parent is no
 * assistant's), `patch-failed` (an activity's delta), `renamed` (a call that starts again under another name).
 * A patch that is no JSON Patch at all is the stream's error, a `PatchError`.
 *
 * @param initial - the messages before the run, as sent in its input; none by default
 * @param options - `onWarning` hears of what was dropped
 *
 * @example
 * ```ts
 * import { from } from "rxjs";
 * import { events, scanMessages } from "@agrx/core";
 *
 * from([
 *   events.textMessageStart({ messageId: "m", role: "assistant" }),
 *   events.textMessageContent({ messageId: "m", delta: "Hello" }),
 * ])
 *   .pipe(scanMessages())
 *   .subscribe(([message]) => console.log(message)); // { id: 'm', role: 'assistant', content: '' }, { id: 'm', role: 'assistant', content: 'Hello' }
 * ```
 */
export function scanMessages(
  initial: readonly Message[] = [],
  options: WarningOptions = {},
): OperatorFunction<AGUIEvent, readonly Message[]> {
  return scanFold((warn) => new MessagesFold(initial, warn), options);
}
