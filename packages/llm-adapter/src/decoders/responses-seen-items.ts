import { remember } from "./remember.js";
import { idOf, type ItemSlot, type ResponsesItem } from "./responses-item.js";

/** A call's item that came in the stream. */
export interface SeenItem {
  readonly slot: ItemSlot;
  readonly type: string;
  isDone: boolean;
}

/** The calls' items of one response, so that its last event, which repeats them, tells only what is new. */
export interface SeenItems {
  /** An item is announced, or done. */
  note(slot: ItemSlot, item: ResponsesItem, isDone: boolean): void;
  /** Gives of each item of the last event's output which one it is; `undefined` did not come before. */
  match(output: readonly ResponsesItem[]): readonly (SeenItem | undefined)[];
  /** Another response begins. */
  clear(): void;
}

/** Makes the memory of a stream's items. */
export function createSeenItems(): SeenItems {
  const byId = new Map<string, SeenItem>();
  /** Announced, and not done yet. */
  const open = new Map<ItemSlot, SeenItem>();
  /** Those of this response. */
  const seen = new Map<SeenItem, true>();

  return {
    note(slot, item, isDone) {
      const id = idOf(item);
      const begun = open.get(slot);
      const known =
        (id === undefined ? undefined : byId.get(id)) ?? (begun?.type === item.type ? begun : undefined);
      const noted = known ?? { slot, type: item.type, isDone };
      noted.isDone ||= isDone;
      remember(seen, noted, true);
      if (id !== undefined) remember(byId, id, noted);
      if (isDone) open.delete(slot);
      else remember(open, slot, noted);
    },
    match(output) {
      const known = output.map((item) => byId.get(idOf(item) ?? ""));
      const others = [...seen.keys()].filter((item) => !known.includes(item));
      seen.clear();
      // Some servers give every item another id here (vllm-project/vllm#56285): one of its type that is left is it.
      return output.map((item, at) => {
        const renamed = known[at] ?? others.find(({ type }) => type === item.type);
        if (renamed !== undefined && others.includes(renamed)) others.splice(others.indexOf(renamed), 1);
        return renamed;
      });
    },
    clear() {
      byId.clear();
      open.clear();
      seen.clear();
    },
  };
}
