import fc from "fast-check";
import type { AGUIEvent } from "../index.js";
import { events, runMarbles } from "../testing/index.js";

/** One of the values, or nothing; the first is the likeliest. */
const maybe = <T>(likely: T, ...others: T[]) =>
  fc.oneof(
    { arbitrary: fc.constant(likely), weight: 6 },
    { arbitrary: fc.constant(undefined), weight: 3 },
    { arbitrary: fc.constantFrom(likely, ...others), weight: 1 },
  );

const common = {
  subagentRunId: fc.oneof({ arbitrary: fc.constant(undefined), weight: 4 }, fc.constantFrom("s", "z")),
  delta: maybe("a", "b", ""),
  metadata: fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 5 },
    fc.dictionary(fc.constantFrom("x", "y"), fc.nat(9), { noNullPrototype: true }),
  ),
  rawEvent: fc.oneof({ arbitrary: fc.constant(undefined), weight: 9 }, fc.constant({ raw: 1 })),
};

const present = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const chunk = fc.oneof(
  fc
    .record({ ...common, messageId: maybe("m", "n", ""), role: maybe("assistant", "user") })
    .map((fields) => events.textMessageChunk(present(fields))),
  fc
    .record({
      ...common,
      toolCallId: maybe("c", "d"),
      toolCallName: maybe("f"),
      parentMessageId: fc.constantFrom(undefined, undefined, undefined, "m"),
    })
    .map((fields) => events.toolCallChunk(present(fields))),
  fc
    .record({ ...common, messageId: maybe("m", "q") })
    .map((fields) => events.reasoningMessageChunk(present(fields))),
);

const others = runMarbles(
  `raw= raw= activity+a custom= custom=@s state={"a":1} step+x@z messages= run- agent-s agent!z encrypted=m text:e"a" text-e@s call=c`,
);

/** Streams of chunks of a few ids and lanes with other events between; most are legal for a while. */
export const chunkStream: fc.Arbitrary<AGUIEvent[]> = fc.array(
  fc.oneof({ arbitrary: chunk, weight: 4 }, fc.constantFrom(...others)),
  { maxLength: 30 },
);
