import type { Metadata } from "@agrx/core";
import type { EmitDelta, FinishReason, ToolCallStartDelta } from "../delta.js";
import { ProviderError } from "../provider-error.js";
import { ArgumentText } from "./argument-text.js";
import { endingOf, isCut, type CallEnding } from "./completion.js";
import {
  callOf,
  givenId,
  givenName,
  type CallHead,
  type CandidateCall,
  type CandidateCalls,
} from "./identity.js";

/** A part of a tool call, as a provider's chunk gives it; what says nothing may be absent, null or empty. */
export interface CallPart {
  /** The place that the provider counts calls by: an index, a block, an item. */
  readonly slot?: string | number | null | undefined;
  readonly id?: unknown;
  readonly name?: unknown;
  /** A fragment of the arguments; a value that is no string is sent as JSON. */
  readonly text?: unknown;
  /** Id and name are final: START need not wait. Default: it waits for the first arguments. */
  readonly settled?: boolean;
  /** Position among the calls of the answer, from 0. */
  readonly index?: number | undefined;
  readonly custom?: boolean;
  readonly providerExecuted?: boolean;
  readonly encryptedValue?: string | undefined;
  readonly encryptedValueType?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** How many calls that their own marker ended are remembered, in case they come again. */
const remembered = 32;

/** What {@link createCallTracker} takes. */
export interface CallTrackerOptions {
  /** Lower-case vendor id, for errors. */
  readonly provider: string;
  /** What synthetic ids begin with, such as the answer's id; asked when one is made. Default: none. */
  readonly idPrefix?: () => string | undefined;
  /** Receives a part that belongs to no call: one that continues an ended call, or that never got a name. */
  readonly onStray?: (part: CallPart) => void;
}

/** The tool calls of one answer, from the parts of a provider to deltas. */
export interface CallTracker {
  /** Takes a part: decides whose it is, and emits what may pass. */
  part(part: CallPart, emit: EmitDelta): void;
  /**
   * The short way of a part that is a slot and a text and nothing else: nearly all of them. Gives false, and does
   * nothing, when the call in the slot is not under way.
   */
  fragment(slot: string | number, text: string, emit: EmitDelta): boolean;
  /** The provider says the arguments of the call in a slot once more, whole: emits what had not come yet. */
  complete(slot: string | number, text: string, emit: EmitDelta): void;
  /** The provider's own marker: the call in that slot is whole. Without such a call nothing happens. */
  end(slot: string | number, emit: EmitDelta): void;
  /** Ends an empty call that {@link CallTracker.end} left for what follows to judge. */
  settle(emit: EmitDelta): void;
  /**
   * The provider finished its answer: ends every open call, and gives true. When one of them is empty or
   * unfinished it gives false, and waits: some servers repeat the finish on every chunk, and the rest may
   * still come. The next call, the next finish or the end of the stream decides.
   */
  finish(reason: FinishReason, emit: EmitDelta): boolean;
  /** The stream ended: ends every open call, by the finish that waits or by the rule for streams that just end. */
  stop(emit: EmitDelta): void;
  /** The provider failed: every open call is incomplete. */
  fail(emit: EmitDelta): void;
  /** The open call in a slot. */
  open(slot: string | number): TrackedCall | undefined;
  /** The open call that a part would belong to. */
  find(part: Pick<CallPart, "slot" | "id" | "name">): TrackedCall | undefined;
  /** Another answer begins in the same stream. */
  begin(): void;
  /** Whether a call for the agent or the client has come in this answer. */
  readonly some: boolean;
  /** Whether a call has ended incomplete. */
  readonly broken: boolean;
}

/** What a decoder may know of a call. */
export interface TrackedCall {
  readonly key: string;
  readonly slot: string | number | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  /** Its arguments' text so far. */
  readonly text: string;
}

/** A call that is followed: a class, as there is one for each call. */
class OpenCall implements CandidateCall {
  readonly key: string;
  id: string | undefined;
  synthetic = false;
  name: string | undefined;
  ended = false;
  again: CallHead | undefined;
  /** A real id that came after a synthetic one had gone out. */
  alias: string | undefined;
  readonly arguments: ArgumentText;
  /** The arguments came as an empty object: whole as they are, and nothing of them is text. */
  emptyObject = false;
  readonly custom: boolean;
  readonly providerExecuted: boolean;
  readonly index: number | undefined;
  encryptedValue: string | undefined;
  encryptedValueType: string | undefined;
  metadata: Metadata | undefined;
  started = false;
  /** What may pass once START has gone out. */
  held = "";

  /** @param number - its place among the calls as they came, from 1 */
  constructor(
    part: CallPart,
    public slot: string | number | undefined,
    readonly number: number,
  ) {
    this.key = String(number);
    this.custom = part.custom === true;
    this.arguments = new ArgumentText(this.custom);
    this.providerExecuted = part.providerExecuted === true;
    this.index = part.index;
  }

  get whole(): boolean {
    return this.arguments.whole || (this.emptyObject && this.arguments.shape === "empty");
  }

  repeats(text: string): boolean {
    return this.arguments.repeats(text);
  }
}

/**
 * Follows the tool calls of one answer: joins parts to calls, holds START until id and name are known, passes
 * fragments on, and says of each call how it ended.
 *
 * The shared half of every decoder. `callOf` decides whose a part is, `completeCall` what a call is at its end.
 */
export function createCallTracker(options: CallTrackerOptions): CallTracker {
  const open = new Set<OpenCall>();
  /** Calls of which id and name are known, and whose arguments START waits for. */
  const ready = new Set<OpenCall>();
  const byId = new Map<string, OpenCall>();
  const bySlot = new Map<string | number, OpenCall>();
  /** Those that the latest finish ended: the provider may send them once more. */
  let finished: OpenCall[] = [];
  /** The last ones that ended by their own marker, for the same reason. */
  const marked: OpenCall[] = [];
  /** Ended by its own marker without any text: a finish that was forced says that it was cut. */
  let unsettled: OpenCall | undefined;
  let latest: OpenCall | undefined;
  let calls = 0;
  let started = false;
  /** A finish came while a call was empty or unfinished. */
  let waiting: CallEnding | undefined;
  let broken = false;

  const candidates: CandidateCalls<OpenCall> = {
    byId: (id) => byId.get(id),
    bySlot: (slot) => bySlot.get(slot),
    get latest() {
      return latest;
    },
  };

  const create = (part: CallPart, slot: string | number | undefined): OpenCall => {
    const call = new OpenCall(part, slot, ++calls);
    open.add(call);
    if (slot !== undefined) bySlot.set(slot, call);
    return call;
  };

  const addName = (call: OpenCall, name: string) => {
    if (call.name === undefined) call.name = name;
    else if (call.started || call.name === name || call.arguments.text !== "") return;
    // A name in pieces (continuedev/continue#5849), or sent again from its beginning.
    else call.name = name.startsWith(call.name) ? name : call.name + name;
  };

  /** Emits START, after that of calls which came before and wait for nothing but their arguments. */
  const start = (call: OpenCall, name: string, emit: EmitDelta) => {
    ready.delete(call);
    for (const earlier of ready) {
      if (earlier.number < call.number && earlier.name !== undefined) start(earlier, earlier.name, emit);
    }
    if (call.id === undefined) {
      call.synthetic = true;
      call.id = syntheticId(call.key);
      byId.set(call.id, call);
    }
    call.started = true;
    if (!call.providerExecuted) started = true;
    emit(startDelta(call, call.id, name));
    pass(call, call.held, emit);
    call.held = "";
  };

  const syntheticId = (key: string) => {
    const prefix = options.idPrefix?.();
    return prefix === undefined || prefix === "" ? `call-${key}` : `${prefix}-call-${key}`;
  };

  const addId = (call: OpenCall, id: string) => {
    if (call.id === undefined) call.id = id;
    else if (call.synthetic && call.alias === undefined && call.id !== id) call.alias = id;
    else return;
    byId.set(id, call);
  };

  const forget = (call: OpenCall) => {
    for (const id of [call.id, call.alias]) {
      if (id !== undefined && byId.get(id) === call) byId.delete(id);
    }
    if (call.slot !== undefined && bySlot.get(call.slot) === call) bySlot.delete(call.slot);
    if (latest === call) latest = undefined;
  };

  const retire = (call: OpenCall) => {
    marked.push(call);
    if (marked.length > remembered) forget(marked.shift()!);
  };

  const close = (call: OpenCall, cut: boolean, truncated: boolean, emit: EmitDelta) => {
    call.ended = true;
    open.delete(call);
    ready.delete(call);
    if (call.name === undefined) {
      nameless(call, emit);
      return;
    }
    if (!call.started) start(call, call.name, emit);
    // A certain end of nothing is `{}`, and only here: a seed would stand before a late text.
    pass(call, !cut && call.arguments.shape === "empty" ? "{}" : call.held, emit);
    call.held = "";
    const end = { type: "tool-call-end", key: call.key } as const;
    if (!cut) {
      emit({ ...end, status: "complete" });
      return;
    }
    broken = true;
    emit({ ...end, status: "incomplete", provider: options.provider, ...(truncated && { truncated }) });
  };

  const nameless = (call: OpenCall, emit: EmitDelta) => {
    const { text } = call.arguments;
    options.onStray?.({ slot: call.slot, id: call.id, text });
    if (text.trim() === "" || text === "{}" || text === "null") return;
    emit({
      type: "error",
      error: new ProviderError({
        code: "incomplete-tool-call",
        message: `A tool call${call.id === undefined ? "" : ` (${call.id})`} came with arguments but without a name. Send the request again.`,
        retryable: true,
        provider: options.provider,
      }),
    });
  };

  /** Ends calls; the incomplete ones first, so that no tool of a broken answer starts. */
  const endAll = (ending: CallEnding, emit: EmitDelta): OpenCall[] => {
    const ended = [...open].map((call) => {
      const rest = call.arguments.end();
      if (call.started) pass(call, rest, emit);
      else call.held += rest;
      const marked = call === unsettled && ending !== "failure" && ending !== "cut-short";
      return { call, cut: isCut(call.arguments, marked ? "marker" : ending, call.custom) };
    });
    unsettled = undefined;
    const truncated = ending === "stream-end";
    for (const { call, cut } of ended) if (cut) close(call, cut, truncated, emit);
    for (const { call, cut } of ended) if (!cut) close(call, cut, truncated, emit);
    return ended.map(({ call }) => call);
  };

  const judge = (ending: CallEnding, emit: EmitDelta) => {
    waiting = undefined;
    if (open.size === 0) return;
    for (const call of finished) forget(call);
    finished = endAll(ending, emit);
  };

  const settle = (emit: EmitDelta) => {
    const call = unsettled;
    if (call === undefined) return;
    unsettled = undefined;
    close(call, isCut(call.arguments, "marker", call.custom), false, emit);
    retire(call);
  };

  return {
    fragment(slot, text, emit) {
      const call = bySlot.get(slot);
      if (call === undefined || !call.started || call.ended || call.arguments.whole) return false;
      latest = call;
      pass(call, call.arguments.push(text), emit);
      return true;
    },
    part(part, emit) {
      const id = givenId(part.id);
      const name = givenName(part.name);
      const slot = part.slot ?? undefined;
      const emptyObject = isEmptyObject(part.text);
      // Instead of arguments, `null` in a string is as little as without one (vercel/ai#4755).
      const nothing = typeof part.text === "string" && part.text.trim() === "null";
      let text = nothing ? "" : textOf(part.text);
      let call = callOf({ id, name, slot, text: emptyObject ? "{}" : text }, candidates);
      if (call !== undefined && (call.ended || call.whole) && name !== undefined && text === "") {
        call.again = { id, name };
      }
      if (call?.ended === true) {
        if (!call.repeats(text)) options.onStray?.(part);
        return;
      }
      if (call === undefined) {
        if (unsettled !== undefined) settle(emit);
        if (waiting !== undefined) judge(waiting, emit);
        const head = (slot === undefined ? latest : bySlot.get(slot))?.again;
        call = create(part, slot);
        if (head !== undefined && name === undefined) {
          call.name = head.name;
          if (head.id !== undefined) addId(call, head.id);
        }
      } else if (slot !== undefined && call.slot === undefined) {
        call.slot = slot;
        bySlot.set(slot, call);
      }
      if (nothing && (call.custom || call.arguments.shape !== "empty")) text = textOf(part.text);
      latest = call;
      if (id !== undefined) addId(call, id);
      if (name !== undefined) addName(call, name);
      if (emptyObject) call.emptyObject = true;
      if (part.encryptedValue !== undefined) {
        call.encryptedValue = part.encryptedValue;
        call.encryptedValueType = part.encryptedValueType;
      }
      if (part.metadata !== undefined) call.metadata = { ...call.metadata, ...part.metadata };

      const passing = text === "" ? "" : call.arguments.push(text);
      if (call.started) {
        pass(call, passing, emit);
        return;
      }
      call.held += passing;
      if (call.name === undefined) return;
      const hasText = call.held !== "" || call.emptyObject;
      if (part.settled === true || (call.id !== undefined && hasText)) start(call, call.name, emit);
      else if (call.id !== undefined) ready.add(call);
    },
    complete(slot, text, emit) {
      const call = bySlot.get(slot);
      if (call === undefined || call.ended) return;
      const rest = call.arguments.complete(text);
      if (call.started) pass(call, rest, emit);
      else call.held += rest;
    },
    end(slot, emit) {
      const call = bySlot.get(slot);
      if (call === undefined || call.ended || call === unsettled) return;
      if (unsettled !== undefined) settle(emit);
      const rest = call.arguments.end();
      if (call.started) pass(call, rest, emit);
      else call.held += rest;
      if (!call.emptyObject && call.arguments.shape === "empty") {
        unsettled = call;
        return;
      }
      close(call, isCut(call.arguments, "marker", call.custom), false, emit);
      retire(call);
    },
    settle,
    finish(reason, emit) {
      const ending = endingOf(reason);
      const unsure = [...open].some((call) => !call.custom && !call.arguments.whole && call !== unsettled);
      waiting = unsure ? ending : undefined;
      if (!unsure) judge(ending, emit);
      return !unsure;
    },
    stop(emit) {
      judge(waiting ?? "stream-end", emit);
    },
    fail(emit) {
      judge("failure", emit);
    },
    open: (slot) => track(bySlot.get(slot)),
    find: ({ slot, id, name }) =>
      track(
        callOf({ slot: slot ?? undefined, id: givenId(id), name: givenName(name), text: "" }, candidates),
      ),
    begin() {
      started = false;
    },
    get some() {
      return started || [...open].some((call) => !call.providerExecuted && call.name !== undefined);
    },
    get broken() {
      return broken;
    },
  };
}

function track(call: OpenCall | undefined): TrackedCall | undefined {
  if (call === undefined || call.ended) return undefined;
  const { key, slot, id, name } = call;
  return { key, slot, id, name, text: call.arguments.text };
}

function pass(call: OpenCall, text: string, emit: EmitDelta): void {
  if (text !== "") emit({ type: "tool-call-fragment", key: call.key, text });
}

function startDelta(call: OpenCall, id: string, name: string): ToolCallStartDelta {
  const { key, index, encryptedValue, encryptedValueType, metadata } = call;
  return {
    type: "tool-call-start",
    key,
    id,
    name,
    ...(call.synthetic && { synthetic: true }),
    ...(index !== undefined && { index }),
    ...(call.custom && { custom: true }),
    ...(call.providerExecuted && { providerExecuted: true }),
    ...(encryptedValue !== undefined && { encryptedValue }),
    ...(encryptedValueType !== undefined && { encryptedValueType }),
    ...(metadata !== undefined && { metadata }),
  };
}

function isEmptyObject(value: unknown): boolean {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0
  );
}

/** Arguments that come as a value are sent as JSON, once; an empty object may stand for text still to come. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null || isEmptyObject(value)) return "";
  return JSON.stringify(value);
}
