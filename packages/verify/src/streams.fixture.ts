import {
  events,
  EventType,
  lifecycle,
  type AGUIEvent,
  type EventTypeName,
  type LifecycleRow,
} from "@agrx/core";
import fc from "fast-check";

/** How many streams a property looks at: few in a test, all in a soak. */
export const runs = (few: number, all: number): fc.Parameters<unknown> => ({
  seed: 20260801,
  numRuns: process.env["AGRX_SOAK"] ? all : few,
});

/** What legal streams are made of. */
export interface StreamOptions {
  /** Whether messages and calls also come as chunks. Default false. */
  readonly chunks?: boolean;
}

/** One decision of a generated stream: what to do, to which of the candidates, and whether to tag it. */
type Choice = readonly [action: number, target: number, tagged: boolean];

type Owner = string | undefined;

interface Bracket {
  readonly kind: "text" | "toolCall" | "reasoning" | "reasoningMessage" | "step" | "subagent";
  readonly id: string;
  readonly owner: Owner;
  readonly role?: "user" | "assistant";
  /** Of a call: the fragments still to come. */
  readonly rest: string[];
}

interface Lane {
  readonly kind: "text" | "toolCall" | "reasoningMessage";
  readonly id: string;
}

const owners: readonly Owner[] = [undefined, undefined, "agent-1", "agent-2"];

/**
 * Streams that break no rule in either profile: several runs, everything interleaved, tagged or not.
 *
 * A stream is the story of a list of choices, so that it shrinks as the list does.
 */
export function legalStream(options: StreamOptions = {}): fc.Arbitrary<AGUIEvent[]> {
  const choice: fc.Arbitrary<Choice> = fc.tuple(fc.nat(999), fc.nat(999), fc.boolean());
  return fc.array(choice, { maxLength: 60, size: "max" }).map((choices) => tell(choices, options));
}

function tell(choices: readonly Choice[], { chunks = false }: StreamOptions): AGUIEvent[] {
  const stream: AGUIEvent[] = [];
  let count = 0;
  let run = 0;
  let active = false;
  let open: Bracket[] = [];
  let closed: Bracket[] = [];
  let unanswered: string[] = [];
  let activities: { id: string; owner: Owner }[] = [];
  let announced = new Set<string>();
  let ended = new Set<string>();
  let tagsSeen = new Set<string>();
  const lanes = new Map<Owner, Lane>();

  const fresh = (prefix: string) => `${prefix}-${++count}`;
  const tag = (owner: Owner) => (owner === undefined ? {} : { subagentRunId: owner });

  function send(event: AGUIEvent): void {
    const row: LifecycleRow = lifecycle[event.type as EventTypeName];
    const owner = (event as { subagentRunId?: string }).subagentRunId;
    if (owner !== undefined) tagsSeen.add(owner);
    if (row.role !== "chunk") {
      if (row.lanes === "all") lanes.clear();
      else if (!row.lanes) lanes.delete(owner);
    }
    stream.push(event);
  }

  function start(): void {
    run++;
    active = true;
    open = [];
    closed = [];
    unanswered = [];
    activities = [];
    announced = new Set();
    ended = new Set();
    tagsSeen = new Set();
    send(events.runStarted({ threadId: "thread", runId: `run-${run}` }));
  }

  function close(bracket: Bracket, tagged: boolean): void {
    open = open.filter((other) => other !== bracket);
    const { kind, id, owner } = bracket;
    const by = tagged || kind === "step" ? tag(owner) : {};
    switch (kind) {
      case "text":
        send(events.textMessageEnd({ messageId: id, ...by }));
        break;
      case "toolCall":
        for (const delta of bracket.rest) send(events.toolCallArgs({ toolCallId: id, delta, ...by }));
        bracket.rest.length = 0;
        send(events.toolCallEnd({ toolCallId: id, ...by }));
        break;
      case "reasoning":
        send(events.reasoningEnd({ messageId: id, ...by }));
        break;
      case "reasoningMessage":
        send(events.reasoningMessageEnd({ messageId: id, ...by }));
        break;
      case "step":
        send(events.stepFinished({ stepName: id, ...by }));
        return;
      case "subagent":
        send(
          tagged
            ? events.subagentFinished({ subagentRunId: id })
            : events.subagentError({ subagentRunId: id, message: "gone" }),
        );
        ended.add(id);
        return;
    }
    if (!closed.includes(bracket)) closed.push(bracket);
  }

  function finish(target: number): void {
    while (open.length > 0) close(open[target % open.length]!, target % 2 === 0);
    send(events.runFinished({ threadId: "thread", runId: `run-${run}` }));
    active = false;
  }

  function reopen(bracket: Bracket, tagged: boolean): void {
    const { kind, id, owner, role } = bracket;
    const by = tagged ? tag(owner) : {};
    if (kind === "text") send(events.textMessageStart({ messageId: id, role: role!, ...by }));
    else if (kind === "reasoning") send(events.reasoningStart({ messageId: id, ...by }));
    else if (kind === "reasoningMessage") {
      send(events.reasoningMessageStart({ messageId: id, role: "reasoning", ...by }));
    } else return;
    open.push(bracket);
  }

  const actions: ((target: number, tagged: boolean, owner: Owner) => void)[] = [
    (target, _, owner) => {
      const role = target % 3 === 0 ? "user" : "assistant";
      const id = fresh("message");
      send(events.textMessageStart({ messageId: id, role, ...tag(owner) }));
      open.push({ kind: "text", id, owner, role, rest: [] });
    },
    (target, tagged, owner) => {
      const id = fresh("call");
      const hosts = [...open, ...closed].filter(({ kind, role }) => kind === "text" && role === "assistant");
      const host = target % 2 === 0 ? hosts[target % Math.max(1, hosts.length)] : undefined;
      const ownerOfCall = host ? host.owner : owner;
      send(
        events.toolCallStart({
          toolCallId: id,
          toolCallName: target % 2 === 0 ? "search" : "roll_dice",
          ...(host && { parentMessageId: host.id }),
          ...(host && !tagged ? {} : tag(ownerOfCall)),
        }),
      );
      unanswered.push(id);
      open.push({ kind: "toolCall", id, owner: ownerOfCall, rest: ['{"n":', "1", "}"] });
    },
    (target, tagged) => {
      const streaming = open.filter(({ kind }) => /text|toolCall|reasoningMessage/.test(kind));
      const bracket = streaming[target % Math.max(1, streaming.length)];
      if (bracket === undefined) return;
      const by = tagged ? tag(bracket.owner) : {};
      if (bracket.kind === "text") {
        send(events.textMessageContent({ messageId: bracket.id, delta: `w${target} `, ...by }));
      } else if (bracket.kind === "toolCall") {
        send(events.toolCallArgs({ toolCallId: bracket.id, delta: bracket.rest.shift() ?? " ", ...by }));
      } else send(events.reasoningMessageContent({ messageId: bracket.id, delta: `r${target} `, ...by }));
    },
    (target, tagged) => {
      const bracket = open[target % Math.max(1, open.length)];
      if (bracket) close(bracket, tagged);
    },
    (target, tagged) => {
      const candidates = closed.filter((bracket) => !open.includes(bracket));
      const bracket = candidates[target % Math.max(1, candidates.length)];
      if (bracket) reopen(bracket, tagged);
    },
    (target, tagged, owner) => {
      const ids = unanswered.filter((id) => !open.some((bracket) => bracket.id === id));
      const toolCallId = ids[target % Math.max(1, ids.length)];
      if (toolCallId === undefined) return;
      unanswered = unanswered.filter((id) => id !== toolCallId);
      const by = tagged ? tag(owner) : {};
      send(events.toolCallResult({ toolCallId, messageId: fresh("result"), content: "ok", ...by }));
    },
    (target, _, owner) => {
      const id = fresh("reasoning");
      send(events.reasoningStart({ messageId: id, ...tag(owner) }));
      open.push({ kind: "reasoning", id, owner, rest: [] });
      if (target % 2 === 0) return;
      send(events.reasoningMessageStart({ messageId: id, role: "reasoning", ...tag(owner) }));
      open.push({ kind: "reasoningMessage", id, owner, rest: [] });
    },
    (target, _, owner) => {
      const id = `step-${target % 3}`;
      if (open.some((bracket) => bracket.kind === "step" && bracket.id === id && bracket.owner === owner))
        return;
      send(events.stepStarted({ stepName: id, ...tag(owner) }));
      open.push({ kind: "step", id, owner, rest: [] });
    },
    (target) => {
      const id = `agent-${1 + (target % 3)}`;
      if (announced.has(id) || tagsSeen.has(id)) return;
      const parents = [...announced];
      const parent = target % 2 === 0 ? parents[target % Math.max(1, parents.length)] : undefined;
      announced.add(id);
      send(
        events.subagentStarted({
          subagentRunId: id,
          name: "helper",
          ...(parent !== undefined && { parentSubagentRunId: parent }),
        }),
      );
      open.push({ kind: "subagent", id, owner: id, rest: [] });
    },
    (target, _, owner) => {
      if (target % 3 === 0) send(events.stateDelta({ delta: [], ...tag(owner) }));
      else if (target % 3 === 1) send(events.custom({ name: "app.note", value: 1, ...tag(owner) }));
      else send(events.raw({ event: {}, ...tag(owner) }));
    },
    (target, _, owner) => {
      if (target % 2 === 0 || activities.length === 0) {
        const id = fresh("activity");
        activities.push({ id, owner });
        send(events.activitySnapshot({ messageId: id, activityType: "PLAN", content: {}, ...tag(owner) }));
      } else {
        const activity = activities[target % activities.length]!;
        send(
          events.activityDelta({
            messageId: activity.id,
            activityType: "PLAN",
            patch: [],
            ...tag(activity.owner),
          }),
        );
      }
    },
    (target, tagged) => {
      const messages = [...open, ...closed].filter(({ kind }) => kind === "text");
      const message = messages[target % Math.max(1, messages.length)];
      if (message === undefined) return;
      send(
        target % 2 === 0
          ? events.reasoningEncryptedValue({
              subtype: "message",
              entityId: message.id,
              encryptedValue: "b3BhcXVl",
              ...(tagged && tag(message.owner)),
            })
          : events.messagesSnapshot({
              messages: messages.map(({ id, role, owner }) => ({
                id,
                role: role!,
                content: "",
                ...tag(owner),
              })),
            }),
      );
    },
    (target) => {
      if (target % 4 === 0) finish(target);
      else if (target % 8 === 1) {
        send(events.runError({ message: "gone" }));
        active = false;
      }
    },
  ];

  const chunkActions: typeof actions = [
    (target, tagged, owner) => {
      const lane = lanes.get(owner);
      const goesOn = lane !== undefined && tagged;
      const kind = goesOn ? lane.kind : (["text", "toolCall", "reasoningMessage"] as const)[target % 3]!;
      const id = goesOn ? lane.id : fresh("chunked");
      const names =
        goesOn && target % 2 === 0 ? {} : { [kind === "toolCall" ? "toolCallId" : "messageId"]: id };
      const by = tag(owner);
      lanes.delete(owner);
      lanes.set(owner, { kind, id });
      if (kind === "text") send(events.textMessageChunk({ ...names, delta: "w ", ...by }));
      else if (kind === "reasoningMessage")
        send(events.reasoningMessageChunk({ ...names, delta: "r ", ...by }));
      else {
        send(
          events.toolCallChunk({
            ...names,
            ...(goesOn ? {} : { toolCallName: "search" }),
            delta: goesOn ? " " : "{}",
            ...by,
          }),
        );
      }
    },
  ];

  start();
  const all = chunks ? [...actions, ...chunkActions, ...chunkActions, ...chunkActions] : actions;
  for (const [action, target, tagged] of choices) {
    if (!active) start();
    all[action % all.length]!(target, tagged, owners[target % owners.length]);
  }
  if (active) finish(0);
  return stream;
}

/** One fault put into a stream. */
export interface Fault {
  readonly kind: "dropped" | "doubled" | "swapped" | "renamed" | "retagged";
  readonly index: number;
  readonly stream: readonly AGUIEvent[];
}

/** Streams, legal ones by default, with one fault in each: it may break a rule or not. */
export function faultyStream(
  kind: Fault["kind"],
  options?: StreamOptions,
  streams: fc.Arbitrary<readonly AGUIEvent[]> = legalStream(options),
): fc.Arbitrary<Fault> {
  return fc.tuple(streams, fc.nat(9999), fc.nat(9999)).map(([stream, at, other]) => ({
    kind,
    index: at % Math.max(1, stream.length),
    stream: stream.length === 0 ? stream : spoil(stream, kind, at, other),
  }));
}

function spoil(stream: readonly AGUIEvent[], kind: Fault["kind"], at: number, other: number): AGUIEvent[] {
  const index = at % stream.length;
  const event = stream[index]!;
  const replace = (count: number, ...by: AGUIEvent[]) => [
    ...stream.slice(0, index),
    ...by,
    ...stream.slice(index + count),
  ];
  switch (kind) {
    case "dropped":
      return replace(1);
    case "doubled":
      return replace(0, event);
    case "swapped":
      return index + 1 < stream.length ? replace(2, stream[index + 1]!, event) : [...stream];
    case "retagged": {
      const { kind: of }: LifecycleRow = lifecycle[event.type];
      if (of === "run" || of === "subagent" || event.type === EventType.MESSAGES_SNAPSHOT) return [...stream];
      const { subagentRunId: _, ...untagged } = event as { subagentRunId?: string };
      const subagentRunId = owners[other % owners.length];
      return replace(1, { ...untagged, ...(subagentRunId !== undefined && { subagentRunId }) } as AGUIEvent);
    }
    case "renamed": {
      const { id } = lifecycle[event.type as EventTypeName] as { id?: string };
      if (id === undefined || !(id in event)) return [...stream];
      const ids = stream.flatMap((each) => {
        const row = lifecycle[each.type as EventTypeName] as { id?: string };
        return row.id === id ? [(each as unknown as Record<string, string>)[id]!] : [];
      });
      const name = other % 2 === 0 ? "renamed" : ids[other % ids.length]!;
      return replace(1, { ...event, [id]: name });
    }
  }
}

/** How a stream reads: a line an event. */
export const asText = (stream: readonly AGUIEvent[]): string =>
  stream.map(({ type, ...fields }, index) => `${index} ${type} ${JSON.stringify(fields)}`).join("\n");
