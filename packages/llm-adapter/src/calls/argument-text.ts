import { readArguments } from "@agrx/core";
import { createJsonBrackets, type JsonShape } from "./json-brackets.js";

/** The text of one call's arguments, as its fragments build it. */
export interface ArgumentText {
  /** The text so far, without what is held back as no part of it. */
  readonly text: string;
  /** What the text is so far, by its brackets; "closed" says nothing of what followed. */
  readonly shape: JsonShape;
  /** An object or array has closed; what follows it cannot belong to it. */
  readonly whole: boolean;
  /** Takes a fragment; gives what of it may be passed on now. */
  push(fragment: string): string;
  /** Takes the whole text, as the provider says it at the end; gives what of it had not come yet. */
  complete(whole: string): string;
  /** Gives what was held back and belongs to the text after all. */
  end(): string;
  /** Whether a text is blank, or the whole text once more. */
  repeats(text: string): boolean;
}

/** What {@link createArgumentText} takes. */
export interface ArgumentTextOptions {
  /** The input of a custom tool: free text, in which nothing is looked for. Default: false. */
  readonly free?: boolean;
}

/**
 * Joins the fragments of one call's arguments and passes them on byte for byte. Three things it holds back:
 *
 * - half of a surrogate pair, until its other half comes;
 * - what follows a closed object or array, which can be no part of it: dropped at the end when it is the same
 *   value again (lidge-jun/opencodex#361), part of the text when it is anything else;
 * - a fragment that starts with the whole text so far, while it may still be either a nested value or the
 *   text sent again from its beginning (NousResearch/hermes-agent#35592). Once appending it could never become
 *   JSON, the stream is known to resend, and only what is new passes.
 */
export function createArgumentText({ free = false }: ArgumentTextOptions = {}): ArgumentText {
  const brackets = createJsonBrackets();
  /** Joined when somebody asks for the text: hardly ever before the end. */
  let fragments: string[] = [];
  let length = 0;
  let surplus = "";
  let half = "";
  let undecided = "";
  let resends = false;
  let whole = false;
  /** Something is held back, or the text is no longer simply joined. */
  let special = free;

  const text = (): string => {
    if (fragments.length > 1) fragments = [fragments.join("")];
    return fragments[0] ?? "";
  };

  const keep = (fragment: string): string => {
    fragments.push(fragment);
    length += fragment.length;
    return fragment;
  };

  const append = (fragment: string): string => {
    if (free) return keep(fragment);
    if (whole) return afterWhole(fragment);
    const end = brackets.read(fragment);
    whole = brackets.shape === "closed";
    return end === fragment.length
      ? keep(fragment)
      : keep(fragment.slice(0, end)) + afterWhole(fragment.slice(end));
  };

  /** After a closed value: white space is part of the text, anything else waits for the end. */
  const afterWhole = (rest: string): string => {
    if (surplus === "" && rest.trim() === "") return keep(rest);
    surplus += rest;
    return "";
  };

  /** Holds the first half of a surrogate pair back until the second half stands behind it. */
  const withoutHalf = (ready: string): string => {
    const joined = half === "" ? ready : half + ready;
    const cut = isFirstHalf(joined.charCodeAt(joined.length - 1));
    half = cut ? joined.slice(-1) : "";
    return cut ? joined.slice(0, -1) : joined;
  };

  /** Whether a fragment may be the text sent again, and more; a text that grows piece by piece hardly looks so. */
  const extendsText = (fragment: string) =>
    length > 0 && fragment.length > length && !whole && !free && fragment.startsWith(text());
  const neverJson = (joined: string) => readArguments(joined).status === "invalid";

  const resolve = (fragment: string): string => {
    if (resends) return append(fragment.startsWith(text()) ? fragment.slice(length) : fragment);
    if (undecided !== "") {
      const earlier = undecided;
      undecided = "";
      if (fragment.startsWith(earlier) && neverJson(text() + earlier + fragment)) {
        resends = true;
        return append(fragment.slice(length));
      }
      return append(earlier) + resolve(fragment);
    }
    if (!extendsText(fragment)) return append(fragment);
    if (neverJson(text() + fragment)) {
      resends = true;
      return append(fragment.slice(length));
    }
    undecided = fragment;
    return "";
  };

  const repeats = (candidate: string): boolean => {
    const rest = candidate.trim();
    if (rest === "") return true;
    if (!whole) return false;
    return rest === text().trim() || sameValues(rest, text());
  };

  return {
    get text() {
      return text();
    },
    get shape() {
      return free ? "other" : brackets.shape;
    },
    get whole() {
      return whole;
    },
    push(fragment) {
      // Nearly all fragments are in the middle of an object, and too short to be the text again.
      if (special || fragment.length > length) {
        const ready = fragment === "" ? "" : withoutHalf(resolve(fragment));
        special = free || whole || resends || undecided !== "" || half !== "";
        return ready;
      }
      const ready = append(fragment);
      const last = fragment.charCodeAt(fragment.length - 1);
      if (!whole && !isFirstHalf(last)) return ready;
      special = true;
      return withoutHalf(ready);
    },
    complete(full) {
      // What is left undecided is decided now.
      undecided = "";
      if (full.startsWith(text())) return withoutHalf(append(full.slice(length)));
      return repeats(full) ? "" : withoutHalf(append(full));
    },
    end() {
      let rest = half + (undecided === "" ? "" : append(undecided));
      undecided = half = "";
      if (surplus === "" || repeats(surplus)) return rest;
      rest += keep(surplus);
      surplus = "";
      return rest;
    },
    repeats,
  };
}

/** Whether a UTF-16 unit is the first half of a surrogate pair. */
function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Whether a text is one or more JSON values, each the same as the one in `text`. */
function sameValues(candidate: string, text: string): boolean {
  const wanted = canonical(text);
  if (wanted === undefined) return false;
  let rest = candidate;
  while (rest !== "") {
    const value = createArgumentText();
    const first = value.push(rest);
    if (!value.whole || canonical(first) !== wanted) return false;
    rest = rest.slice(first.length).trim();
  }
  return true;
}

function canonical(text: string): string | undefined {
  const reading = readArguments(text);
  return reading.status === "complete" ? JSON.stringify(reading.value) : undefined;
}
