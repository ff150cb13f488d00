import { events } from "../protocol/events.js";
import { EventType, type AGUIEvent, type Message } from "../protocol/vocabulary.js";
import { MessagesFold } from "./fold-messages.js";

/** A thread as it stood before, and a legal stream of one or more runs on it. */
export interface GeneratedRun {
  readonly seed: number;
  readonly messages: readonly Message[];
  readonly state: unknown;
  readonly events: readonly AGUIEvent[];
}

/** What {@link generateRun} leaves out when it is false. All true by default. */
export interface GeneratedKinds {
  readonly snapshots?: boolean;
  readonly failingPatches?: boolean;
  readonly subagents?: boolean;
}

/**
 * A stream of explicit events that the verifier passes, the same for the same seed: text, calls with results,
 * reasoning, activities, state, snapshots of messages, metadata, steps and subagents, interleaved, closed ids
 * opened again, and each way to end a run.
 */
export function generateRun(
  seed: number,
  { snapshots = true, failingPatches = true, subagents = true }: GeneratedKinds = {},
): GeneratedRun {
  const random = createRandom(seed);
  const out: AGUIEvent[] = [];
  const history: Message[] = [];
  let nextId = 0;
  const newId = (kind: string) => `${kind}-${nextId++}`;
  const some = <T>(items: readonly T[]): T => items[random(items.length)]!;
  const chance = (percent: number) => random(100) < percent;
  const metadata = () =>
    chance(15)
      ? { metadata: { [some(["a", "b", "__proto__x"])]: some<unknown>([1, null, "x", { deep: [1] }]) } }
      : {};
  const piece = () => some(["", "word ", "ü", "😀", "\ud83d", '"quoted" ', "line\n"]);

  if (chance(50)) {
    history.push({ id: newId("user"), role: "user", content: "Hello" });
    if (chance(50)) {
      const call = newId("call");
      history.push(
        {
          id: newId("text"),
          role: "assistant",
          content: "Looking.",
          toolCalls: [{ id: call, type: "function", function: { name: "look", arguments: '{"at":1}' } }],
        },
        { id: newId("tool"), role: "tool", toolCallId: call, content: "seen" },
      );
    }
  }
  const state: Record<string, unknown> | undefined = chance(70)
    ? { n: 0, list: [], nested: { a: { b: 1 } } }
    : undefined;
  /** The same state, kept up to date, so that patches can be made that apply. */
  let current: unknown = structuredClone(state ?? {});

  // All that was ever opened, with the tag of its opener; ids of these open again.
  const texts = new Map<string, string | undefined>();
  const thoughts = new Map<string, string | undefined>();
  const calls = new Map<string, { owner: string | undefined; text: string; name: string; parent?: string }>();
  const activities = new Map<string, string | undefined>();
  let open: {
    kind: "text" | "thought" | "span" | "call" | "step" | "subagent";
    id: string;
    owner: string | undefined;
  }[] = [];
  let endedCalls: string[] = [];

  const tag = (owner: string | undefined) => (owner === undefined ? {} : { subagentRunId: owner });
  /** The opener's tag, or none where it may be left out. */
  const laterTag = (owner: string | undefined) => (chance(50) ? tag(owner) : {});
  const owners = () => [
    undefined,
    undefined,
    ...open.filter((one) => one.kind === "subagent").map((one) => one.id),
  ];

  const close = (one: (typeof open)[number]) => {
    open = open.filter((other) => other !== one);
    const own = laterTag(one.owner);
    switch (one.kind) {
      case "text":
        out.push(events.textMessageEnd({ messageId: one.id, ...own, ...metadata() }));
        break;
      case "thought":
        out.push(events.reasoningMessageEnd({ messageId: one.id, ...own, ...metadata() }));
        break;
      case "span":
        out.push(events.reasoningEnd({ messageId: one.id, ...own }));
        break;
      case "call":
        out.push(events.toolCallEnd({ toolCallId: one.id, ...own, ...metadata() }));
        endedCalls.push(one.id);
        break;
      case "step":
        out.push(events.stepFinished({ stepName: one.id, ...tag(one.owner) }));
        break;
      case "subagent":
        // What it owns is closed first, so that nothing of it stays open.
        open.filter((other) => other.owner === one.id).forEach(close);
        out.push(
          chance(70)
            ? events.subagentFinished({ subagentRunId: one.id })
            : events.subagentError({ subagentRunId: one.id, message: "failed" }),
        );
    }
  };

  const actions: Record<string, () => void> = {
    text() {
      const again = [...texts.keys()].filter(
        (id) => !open.some((one) => one.kind === "text" && one.id === id),
      );
      const reopened = chance(10) && again.length > 0 ? some(again) : undefined;
      const id = reopened ?? newId("text");
      const owner = reopened === undefined ? some(owners()) : texts.get(id);
      if (!texts.has(id)) texts.set(id, owner);
      const role = some(["assistant", "assistant", "assistant", "user", "system", "developer"] as const);
      out.push(
        events.textMessageStart({
          messageId: id,
          ...(chance(80) && { role }),
          ...(chance(10) && { name: "Ada" }),
          ...tag(owner),
          ...metadata(),
        }),
      );
      open.push({ kind: "text", id, owner });
    },
    thought() {
      const id = newId("thought");
      const owner = some(owners());
      thoughts.set(id, owner);
      if (chance(50)) {
        out.push(events.reasoningStart({ messageId: id, ...tag(owner) }));
        open.push({ kind: "span", id, owner });
      }
      out.push(
        events.reasoningMessageStart({ messageId: id, role: "reasoning", ...tag(owner), ...metadata() }),
      );
      open.push({ kind: "thought", id, owner });
    },
    call() {
      const again = [...calls.keys()].filter(
        (id) => !open.some((one) => one.kind === "call" && one.id === id),
      );
      const reopened = chance(8) && again.length > 0 ? some(again) : undefined;
      const parents = [...texts].filter(([id]) => out.some((one) => isAssistant(one, id)));
      const [parent, parentOwner] =
        chance(60) && parents.length > 0
          ? some(parents)
          : [chance(40) ? newId("text") : undefined, some(owners())];
      const id = reopened ?? newId("call");
      const known = calls.get(id);
      const owner = known === undefined ? parentOwner : known.owner;
      const name = known?.name ?? some(["look", "roll", "draw"]);
      const parentMessageId = known === undefined ? parent : known.parent;
      calls.set(id, {
        owner,
        name,
        text: known?.text ?? "",
        ...(parentMessageId !== undefined && { parent: parentMessageId }),
      });
      out.push(
        events.toolCallStart({
          toolCallId: id,
          toolCallName: name,
          ...(parentMessageId !== undefined && { parentMessageId }),
          ...tag(owner),
          ...metadata(),
        }),
      );
      open.push({ kind: "call", id, owner });
    },
    more() {
      const streams = open.filter(({ kind }) => kind === "text" || kind === "thought" || kind === "call");
      for (let left = random(4); left >= 0 && streams.length > 0; left--) {
        const one = some(streams);
        const own = laterTag(one.owner);
        if (one.kind === "text")
          out.push(events.textMessageContent({ messageId: one.id, delta: piece(), ...own, ...metadata() }));
        else if (one.kind === "thought")
          out.push(
            events.reasoningMessageContent({ messageId: one.id, delta: piece(), ...own, ...metadata() }),
          );
        else {
          const call = calls.get(one.id)!;
          const whole = '{"city":"Seoul","days":[1,2,3],"deep":{"x":null}}';
          const delta = chance(5) ? "?" : whole.slice(call.text.length, call.text.length + random(9));
          call.text += delta;
          out.push(events.toolCallArgs({ toolCallId: one.id, delta, ...own, ...metadata() }));
        }
      }
    },
    close() {
      const ends = open.filter(({ kind }) => kind !== "subagent" || chance(30));
      if (ends.length > 0) close(some(ends));
    },
    result() {
      if (endedCalls.length === 0) return;
      const toolCallId = some(endedCalls);
      if (open.some((one) => one.kind === "call" && one.id === toolCallId)) return;
      endedCalls = endedCalls.filter((id) => id !== toolCallId || chance(5));
      out.push(
        events.toolCallResult({
          messageId: newId("tool"),
          toolCallId,
          content: chance(80) ? piece() : [{ type: "text", text: piece() }],
          ...(chance(50) && { role: "tool" as const }),
          ...tag(some(owners())),
          ...metadata(),
        }),
      );
    },
    encrypted() {
      const targets = [
        ...[...calls].map(([id, { owner }]) => ["tool-call", id, owner] as const),
        ...[...texts, ...thoughts].map(([id, owner]) => ["message", id, owner] as const),
      ];
      if (targets.length === 0 || chance(5)) {
        out.push(
          events.reasoningEncryptedValue({ subtype: "message", entityId: "nobody", encryptedValue: "?" }),
        );
        return;
      }
      const [subtype, entityId, owner] = some(targets);
      out.push(
        events.reasoningEncryptedValue({
          subtype,
          entityId,
          encryptedValue: newId("secret"),
          ...laterTag(owner),
        }),
      );
    },
    activity() {
      const known = [...activities.keys()];
      const id = chance(50) && known.length > 0 ? some(known) : newId("activity");
      const replace = chance(30) && known.includes(id) ? { replace: false } : {};
      const owner = "replace" in replace ? activities.get(id) : some(owners());
      activities.set(id, owner);
      out.push(
        events.activitySnapshot({
          messageId: id,
          activityType: some(["plan", "search"]),
          content: { items: [1, 2], title: newId("title") },
          ...replace,
          ...tag(owner),
          ...metadata(),
        }),
      );
    },
    activityDelta() {
      const [id, owner] = activities.size > 0 && chance(90) ? some([...activities]) : ["nobody", undefined];
      out.push(
        events.activityDelta({
          messageId: id,
          activityType: some(["plan", "search"]),
          patch: [
            some([
              { op: "add", path: "/items/0", value: random(9) },
              { op: "replace", path: "/title", value: newId("title") },
              failingPatches
                ? { op: "remove", path: "/nowhere" }
                : { op: "add", path: "/more", value: { a: 1 } },
            ] as const),
          ],
          ...laterTag(owner),
          ...metadata(),
        }),
      );
    },
    stateSnapshot() {
      current = some<unknown>([
        { n: random(9), list: [1, [2]], nested: { a: { b: 2 } } },
        {},
        null,
        0,
        "",
        false,
        [1],
      ]);
      out.push(events.stateSnapshot({ snapshot: structuredClone(current) as never }));
    },
    stateDelta() {
      const isObject = typeof current === "object" && current !== null && "nested" in current;
      if (!isObject && !failingPatches) return;
      out.push(
        events.stateDelta({
          delta: [
            { op: "add", path: "/list/-", value: random(9) },
            some([
              { op: "replace", path: "/nested/a/b", value: random(9) },
              { op: "add", path: "/nested/c", value: { d: random(9) } },
              { op: "test", path: "/n", value: failingPatches ? random(3) : (current as { n: unknown }).n },
            ] as const),
          ],
        }),
      );
    },
    step() {
      const owner = some(owners());
      const id = some(["plan", "act"]);
      if (open.some((one) => one.kind === "step" && one.id === id && one.owner === owner)) return;
      out.push(events.stepStarted({ stepName: id, ...tag(owner), ...metadata() }));
      open.push({ kind: "step", id, owner });
    },
    subagent() {
      if (!subagents) return;
      const id = newId("sub");
      out.push(events.subagentStarted({ subagentRunId: id, name: "helper" }));
      open.push({ kind: "subagent", id, owner: undefined });
    },
    passing() {
      out.push(
        chance(50) ? events.custom({ name: "x", value: 1, ...metadata() }) : events.raw({ event: { a: 1 } }),
      );
    },
    messages() {
      if (!snapshots || open.some(({ kind }) => kind === "call" || kind === "text" || kind === "thought"))
        return;
      const kept: Message[] = [];
      for (const message of replay(history, out)) {
        if (chance(15)) continue;
        kept.push(chance(15) && message.role === "user" ? { ...message, content: newId("edited") } : message);
      }
      if (chance(30))
        kept.splice(random(kept.length + 1), 0, { id: newId("user"), role: "user", content: "new" });
      out.push(events.messagesSnapshot({ messages: structuredClone(kept) }));
      const left = new Set(replay(history, out).map(({ id }) => id));
      for (const id of activities.keys()) if (!left.has(id)) activities.delete(id);
      for (const { id, role, subagentRunId } of kept)
        if (role === "activity") activities.set(id, subagentRunId);
    },
  };
  const weights =
    "text text text thought call call call more more more more more more more close close close result result encrypted activity activityDelta stateSnapshot stateDelta step subagent passing messages".split(
      " ",
    );

  const runs = 1 + random(3);
  for (let run = 0; run < runs; run++) {
    const ids = { threadId: "thread", runId: newId("run") };
    const told = chance(20)
      ? [{ id: newId("user"), role: "user" as const, content: "told" }, ...history.slice(0, 1)]
      : undefined;
    out.push(
      events.runStarted({
        ...ids,
        ...(told && {
          input: { ...ids, messages: told, tools: [], context: [], state: {}, forwardedProps: {} },
        }),
      }),
    );
    endedCalls = [];
    for (const id of activities.keys()) activities.set(id, undefined);
    for (let left = random(40); left > 0; left--) actions[some(weights)]!();
    if (chance(20)) {
      out.push(events.runError({ message: "failed", ...(chance(50) && { code: "broken" }) }));
      open = [];
      continue;
    }
    while (open.length > 0) close(open.at(-1)!);
    const outcome = some([
      undefined,
      { type: "success" as const },
      { type: "cancelled" as const },
      { type: "interrupt" as const, interrupts: [{ id: newId("interrupt"), reason: "ask" }] },
    ]);
    out.push(
      events.runFinished({
        ...ids,
        ...(outcome && { outcome }),
        ...(chance(20) && { result: { ok: true } }),
      }),
    );
  }
  return { seed, messages: history, state, events: out };
}

const isAssistant = (event: AGUIEvent, id: string) =>
  event.type === EventType.TEXT_MESSAGE_START &&
  event.messageId === id &&
  (event.role ?? "assistant") === "assistant";

function replay(history: readonly Message[], stream: readonly AGUIEvent[]): readonly Message[] {
  const fold = new MessagesFold(history, (_event, code, _id, message) => ({ code, message }));
  stream.forEach((event) => fold.apply(event));
  return fold.value;
}

/** Whole numbers below a limit, the same for the same seed (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
