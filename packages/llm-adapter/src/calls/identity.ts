/** What a fragment says about the call that it belongs to. */
export interface CallEvidence {
  /** The provider's id for the call, as {@link givenId} reads it. */
  readonly id: string | undefined;
  /** The tool's name, or a piece of it; never empty. */
  readonly name: string | undefined;
  /** The place that the provider counts calls by: an index, a block, an item. */
  readonly slot: string | number | undefined;
  /** The arguments' text that comes with it. */
  readonly text: string;
}

/** What a call begins with. */
export interface CallHead {
  readonly id: string | undefined;
  readonly name: string;
}

/** A call as far as its fragments have told it. */
export interface CandidateCall {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly slot: string | number | undefined;
  /** Its arguments are one closed JSON object or array: whatever follows cannot belong to them. */
  readonly whole: boolean;
  /** A finish has ended it. */
  readonly ended: boolean;
  /** Its head came again, after whole arguments and with none: the next call's head, or nothing at all. */
  readonly again: CallHead | undefined;
  /** Whether a text is nothing, or the whole arguments once more. */
  repeats(text: string): boolean;
}

/** The calls of one answer, by the evidence that can point at them. */
export interface CandidateCalls<Call extends CandidateCall> {
  byId(id: string): Call | undefined;
  bySlot(slot: string | number): Call | undefined;
  /** The call that the last fragment belonged to. */
  readonly latest: Call | undefined;
}

/** An id as evidence: `undefined` when it says nothing. A number is its digits. */
export function givenId(id: unknown): string | undefined {
  if (typeof id === "number") return String(id);
  if (typeof id !== "string" || id.trim() === "") return undefined;
  return nothings.has(id) ? undefined : id;
}

// What languages write for nothing; "null" is the official Mistral client's default (mistralai/client-js#69).
const nothings: ReadonlySet<string> = new Set(["null", "None", "undefined"]);

/** A name as evidence: `undefined` when it says nothing. */
export function givenName(name: unknown): string | undefined {
  return typeof name === "string" && name.trim() !== "" ? name : undefined;
}

/**
 * Decides which call a fragment belongs to; `undefined` is a new call. Nothing else decides it.
 *
 * The first rule that applies, in order of how far its evidence can be trusted:
 *
 * 1. A known id is that call, unless a name shows that the id was given twice.
 * 2. A new id is the late id of the call in its slot, or a new call; without a name, in a slot whose call is
 *    unfinished, it is an id that changes from chunk to chunk, and the first one stays.
 * 3. A slot is the call in it, unless a name comes after arguments that are whole: then it is the next call.
 * 4. Neither: a name that differs, or that comes after whole arguments, is a new call.
 * 5. Nothing at all: the call that the last fragment belonged to.
 */
export function callOf<Call extends CandidateCall>(
  evidence: CallEvidence,
  calls: CandidateCalls<Call>,
): Call | undefined {
  const { id, slot } = evidence;
  if (id !== undefined) {
    const known = calls.byId(id);
    return known === undefined ? byNewId(evidence, calls) : byKnownId(evidence, known);
  }
  if (slot !== undefined) {
    const inSlot = calls.bySlot(slot);
    return inSlot === undefined ? byNewSlot(evidence, calls.latest) : bySlot(evidence, inSlot);
  }
  return byNothing(evidence, calls.latest);
}

function byKnownId<Call extends CandidateCall>({ name, slot, text }: CallEvidence, call: Call) {
  if (name === undefined) return call;
  // One id for two calls: another slot tells them apart, unless the same call's text is still under way.
  const moved = slot !== undefined && call.slot !== undefined && slot !== call.slot;
  if (moved && (call.whole || call.name !== name || call.repeats(text))) return undefined;
  // After a whole text, another name, or the name again with another text: the next call under the same id.
  const otherName = call.name !== undefined && call.name !== name;
  return call.whole && (otherName || !call.repeats(text)) ? undefined : call;
}

function byNewId<Call extends CandidateCall>(evidence: CallEvidence, calls: CandidateCalls<Call>) {
  const { name, slot, text } = evidence;
  const inSlot = slot === undefined ? undefined : calls.bySlot(slot);
  const unplaced = calls.latest?.slot === undefined ? calls.latest : undefined;
  const candidate = inSlot ?? unplaced;
  if (candidate === undefined || candidate.ended) return undefined;
  const sameName = name === undefined || candidate.name === undefined || candidate.name === name;
  const fresh = candidate.whole && text !== "";
  if (candidate.id === undefined && sameName && !fresh) return candidate;
  return name === undefined && inSlot !== undefined && !inSlot.whole ? inSlot : undefined;
}

function bySlot<Call extends CandidateCall>({ name, text }: CallEvidence, call: Call) {
  if (!call.whole && !call.ended) return call;
  if (name === undefined) return call.again !== undefined && !call.repeats(text) ? undefined : call;
  if (call.ended || call.name === undefined) return call.repeats(text) ? call : undefined;
  return name !== call.name || text !== "" ? undefined : call;
}

function byNewSlot<Call extends CandidateCall>({ name, text }: CallEvidence, latest: Call | undefined) {
  // The head had no index, its continuation has one.
  if (latest === undefined || latest.slot !== undefined || latest.ended) return undefined;
  const sameName = name === undefined || latest.name === undefined || latest.name === name;
  return sameName && !(latest.whole && text !== "") ? latest : undefined;
}

function byNothing<Call extends CandidateCall>(evidence: CallEvidence, latest: Call | undefined) {
  if (latest === undefined) return undefined;
  const { name } = evidence;
  if (name !== undefined && latest.name !== undefined && latest.name !== name) return undefined;
  return bySlot(evidence, latest);
}
