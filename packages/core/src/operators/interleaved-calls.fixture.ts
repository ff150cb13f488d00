import fc from "fast-check";
import type { AGUIEvent } from "../index.js";
import { runMarbles } from "../testing/index.js";

const other = fc.constantFrom(`text:m"a"`, `custom=`, `state={"a":1}`, `raw=`, `step+x`, `activity+a`);

/** One bracket of a call, its fragments and, it may be, its result. */
const bracket = (id: string) =>
  fc
    .tuple(fc.array(fc.string({ maxLength: 4 }), { maxLength: 6 }), fc.boolean(), fc.boolean())
    .map(([fragments, answered, signed]) => [
      `call+${id}/f-${id}`,
      ...fragments.map((text) => `call:${id}${JSON.stringify(`<${id}>${text}`)}`),
      `call-${id}`,
      ...(answered ? [`call=${id}/${id}-result"done"`] : []),
      ...(signed ? [`encrypted=${id}/tool-call"x"`] : []),
    ]);

const calls = fc.integer({ min: 1, max: 8 }).chain((count) =>
  fc.tuple(
    ...Array.from({ length: count }, (_, k) =>
      // Some ids are opened again after their END.
      fc.array(bracket(`c${k}`), { minLength: 1, maxLength: 2 }).map((brackets) => brackets.flat()),
    ),
  ),
);

/** Up to 8 calls whose events come in any mixture, with other events between them: no run around. */
export const interleavedCalls: fc.Arbitrary<AGUIEvent[]> = fc
  .tuple(calls, fc.array(other, { maxLength: 8 }), fc.infiniteStream(fc.nat()))
  .map(([ofCalls, others, picks]) => {
    const queues = [...ofCalls, others].map((words) => [...words]);
    const line: string[] = [];
    for (let open = queues.filter((queue) => queue.length > 0); open.length > 0;) {
      const pick = picks.next().value as number;
      line.push(open[pick % open.length]!.shift()!);
      open = queues.filter((queue) => queue.length > 0);
    }
    return runMarbles(line.join(" "));
  });
