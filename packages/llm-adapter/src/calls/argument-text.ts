import { readArguments } from "@agrx/core";

/** The text of one call's arguments, as its fragments build it. */
export interface ArgumentText {
  /** The text so far, without what is held back as no part of it. */
  readonly text: string;
  /** The text so far holds one closed JSON object or array from its beginning. */
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

const quote = 0x22;
const backslash = 0x5c;

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
export function createArgumentText(options: ArgumentTextOptions = {}): ArgumentText {
  let text = "";
  let surplus = "";
  let half = "";
  let undecided = "";
  let resends = false;
  // Where the text stands as JSON; `opaque` when it begins like no object or array.
  let depth = 0;
  let began = options.free === true;
  let opaque = began;
  let inString = false;
  let escaped = false;
  let whole = false;

  /** Reads on to the end of the fragment, or to where the top-level value closes; gives that position. */
  const scan = (fragment: string): number => {
    for (let i = 0; i < fragment.length; i++) {
      const code = fragment.charCodeAt(i);
      if (inString) {
        if (escaped) escaped = false;
        else if (code === backslash) escaped = true;
        else if (code === quote) inString = false;
      } else if (code === quote) inString = true;
      // { and [ are 0x7b and 0x5b, } and ] are 0x7d and 0x5d.
      else if (code === 0x7b || code === 0x5b) depth++;
      else if ((code === 0x7d || code === 0x5d) && --depth <= 0) {
        whole = true;
        return i + 1;
      }
    }
    return fragment.length;
  };

  const append = (fragment: string): string => {
    if (!began) {
      const first = fragment.search(/\S/);
      if (first >= 0) {
        began = true;
        opaque = fragment[first] !== "{" && fragment[first] !== "[";
      }
    }
    if (whole || opaque) return keep(fragment);
    const end = scan(fragment);
    return end === fragment.length
      ? pass(fragment)
      : pass(fragment.slice(0, end)) + keep(fragment.slice(end));
  };

  const pass = (fragment: string): string => {
    text += fragment;
    return fragment;
  };

  /** After a closed value: white space is part of the text, anything else waits for the end. */
  const keep = (rest: string): string => {
    if (opaque || (surplus === "" && rest.trim() === "")) return pass(rest);
    surplus += rest;
    return "";
  };

  /** Holds the first half of a surrogate pair back until the second half stands behind it. */
  const withoutHalf = (ready: string): string => {
    const joined = half === "" ? ready : half + ready;
    const last = joined.charCodeAt(joined.length - 1);
    const cut = last >= 0xd800 && last <= 0xdbff;
    half = cut ? joined.slice(-1) : "";
    return cut ? joined.slice(0, -1) : joined;
  };

  const extendsText = (fragment: string) =>
    text !== "" && fragment.length > text.length && fragment.startsWith(text);
  const neverJson = (joined: string) => readArguments(joined).status === "invalid";

  const resolve = (fragment: string): string => {
    if (resends) {
      return fragment.startsWith(text) ? append(fragment.slice(text.length)) : append(fragment);
    }
    if (undecided !== "") {
      const earlier = undecided;
      undecided = "";
      if (fragment.startsWith(earlier) && neverJson(text + earlier + fragment)) {
        resends = true;
        return append(fragment.slice(text.length));
      }
      return append(earlier) + resolve(fragment);
    }
    if (whole || opaque || !extendsText(fragment)) return append(fragment);
    if (neverJson(text + fragment)) {
      resends = true;
      return append(fragment.slice(text.length));
    }
    undecided = fragment;
    return "";
  };

  const repeats = (candidate: string): boolean => {
    const rest = candidate.trim();
    if (rest === "") return true;
    if (!whole) return false;
    return rest === text.trim() || sameValues(rest, text);
  };

  return {
    get text() {
      return text;
    },
    get whole() {
      return whole;
    },
    push(fragment) {
      return fragment === "" ? "" : withoutHalf(resolve(fragment));
    },
    complete(full) {
      // What is left undecided is decided now.
      undecided = "";
      if (full.startsWith(text)) return withoutHalf(append(full.slice(text.length)));
      return repeats(full) ? "" : withoutHalf(append(full));
    },
    end() {
      let rest = half + (undecided === "" ? "" : append(undecided));
      undecided = half = "";
      if (surplus === "" || repeats(surplus)) return rest;
      text += surplus;
      rest += surplus;
      surplus = "";
      return rest;
    },
    repeats,
  };
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
