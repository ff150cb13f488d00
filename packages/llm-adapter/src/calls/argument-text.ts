import { readArguments } from "@agrx/core";
import { JsonBrackets, type JsonShape } from "./json-brackets.js";

/**
 * The text of one call's arguments, joined from its fragments, which pass on byte for byte. Three things it
 * holds back:
 *
 * - half of a surrogate pair, until its other half comes;
 * - what follows a closed object or array, which can be no part of it: dropped at the end when it is the same
 *   value again (lidge-jun/opencodex#361), part of the text when it is anything else;
 * - a fragment that starts with the whole text so far, while it may still be either a nested value or the
 *   text sent again from its beginning (NousResearch/hermes-agent#35592). Once appending it could never become
 *   JSON, the stream is known to resend, and only what is new passes.
 */
export class ArgumentText {
  private readonly brackets = new JsonBrackets();
  /** Joined when somebody asks for the text: hardly ever before the end. */
  private fragments: string[] = [];
  private length = 0;
  private surplus = "";
  private half = "";
  private undecided = "";
  private resends = false;
  /** Something is held back, or the text is no longer simply joined. */
  private special: boolean;

  /** @param free - whether it is the input of a custom tool: free text, in which nothing is looked for */
  constructor(private readonly free: boolean) {
    this.special = free;
  }

  /** The text so far, without what is held back as no part of it. */
  get text(): string {
    if (this.fragments.length > 1) this.fragments = [this.fragments.join("")];
    return this.fragments[0] ?? "";
  }

  /** What the text is so far, by its brackets; "closed" says nothing of what followed. */
  get shape(): JsonShape {
    return this.free ? "other" : this.brackets.shape;
  }

  /** An object or array has closed; what follows it cannot belong to it. */
  get whole(): boolean {
    return this.brackets.shape === "closed";
  }

  /** Takes a fragment; gives what of it may be passed on now. */
  push(fragment: string): string {
    // Nearly all fragments are in the middle of an object, and too short to be the text again.
    if (this.special || fragment.length > this.length) {
      const ready = fragment === "" ? "" : this.withoutHalf(this.resolve(fragment));
      this.special = this.free || this.whole || this.resends || this.undecided !== "" || this.half !== "";
      return ready;
    }
    const ready = this.append(fragment);
    if (!this.whole && !isFirstHalf(fragment.charCodeAt(fragment.length - 1))) return ready;
    this.special = true;
    return this.withoutHalf(ready);
  }

  /** Takes the whole text, as the provider says it at the end; gives what of it had not come yet. */
  complete(full: string): string {
    // What is left undecided is decided now.
    this.undecided = "";
    if (full.startsWith(this.text)) return this.withoutHalf(this.append(full.slice(this.length)));
    return this.repeats(full) ? "" : this.withoutHalf(this.append(full));
  }

  /** Gives what was held back and belongs to the text after all. */
  end(): string {
    const rest = this.half + (this.undecided === "" ? "" : this.append(this.undecided));
    this.undecided = this.half = "";
    const { surplus } = this;
    this.surplus = "";
    return surplus === "" || this.repeats(surplus) ? rest : rest + this.keep(surplus);
  }

  /** Whether a text is blank, or the whole text once more. */
  repeats(candidate: string): boolean {
    const rest = candidate.trim();
    if (rest === "") return true;
    return this.whole && (rest === this.text.trim() || sameValues(rest, this.text));
  }

  private append(fragment: string): string {
    if (this.free) return this.keep(fragment);
    if (this.whole) return this.afterWhole(fragment);
    const end = this.brackets.read(fragment);
    if (end === fragment.length) return this.keep(fragment);
    return this.keep(fragment.slice(0, end)) + this.afterWhole(fragment.slice(end));
  }

  private keep(fragment: string): string {
    this.fragments.push(fragment);
    this.length += fragment.length;
    return fragment;
  }

  /** After a closed value: white space is part of the text, anything else waits for the end. */
  private afterWhole(rest: string): string {
    if (this.surplus === "" && rest.trim() === "") return this.keep(rest);
    this.surplus += rest;
    return "";
  }

  /** Holds the first half of a surrogate pair back until the second half stands behind it. */
  private withoutHalf(ready: string): string {
    const joined = this.half === "" ? ready : this.half + ready;
    const cut = isFirstHalf(joined.charCodeAt(joined.length - 1));
    this.half = cut ? joined.slice(-1) : "";
    return cut ? joined.slice(0, -1) : joined;
  }

  private resolve(fragment: string): string {
    if (this.resends)
      return this.append(fragment.startsWith(this.text) ? fragment.slice(this.length) : fragment);
    if (this.undecided !== "") {
      const earlier = this.undecided;
      this.undecided = "";
      if (fragment.startsWith(earlier) && neverJson(this.text + earlier + fragment))
        return this.resend(fragment);
      return this.append(earlier) + this.resolve(fragment);
    }
    if (!this.mayBeResent(fragment)) return this.append(fragment);
    if (neverJson(this.text + fragment)) return this.resend(fragment);
    this.undecided = fragment;
    return "";
  }

  private resend(fragment: string): string {
    this.resends = true;
    return this.append(fragment.slice(this.length));
  }

  /** Whether a fragment may be the text sent again, and more. */
  private mayBeResent(fragment: string): boolean {
    const longer = this.length > 0 && fragment.length > this.length;
    return longer && !this.whole && !this.free && fragment.startsWith(this.text);
  }
}

/** Whether no text that begins so can ever become JSON. */
function neverJson(text: string): boolean {
  return readArguments(text).status === "invalid";
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
    const value = new ArgumentText(false);
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
