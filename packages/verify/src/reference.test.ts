import { verifyEvents } from "@ag-ui/client";
import { expandChunks, type AGUIEvent, type OrderingError } from "@agrx/core";
import fc from "fast-check";
import { Subject, type MonoTypeOperatorFunction } from "rxjs";
import type { VerifyOptions } from "./options.js";
import { asText, faultyStream, legalStream, runs, type Fault } from "./streams.fixture.js";
import { verify } from "./verify.js";

/** Where a stream was refused, and by which rule; the stream's length for its end, undefined when it passed. */
interface Refusal {
  readonly index: number;
  readonly rule: string;
}

function refusalOf(
  stream: readonly AGUIEvent[],
  operator: MonoTypeOperatorFunction<AGUIEvent>,
): Refusal | undefined {
  const source = new Subject<AGUIEvent>();
  let index = -1;
  let refusal: Refusal | undefined;
  source.pipe(operator).subscribe({
    error: (error: Partial<OrderingError>) => (refusal = { index, rule: error.rule ?? "refused" }),
  });
  for (const event of stream) {
    index++;
    source.next(event);
  }
  index++;
  source.complete();
  return refusal;
}

/** What our consumer refuses and the reference client lets pass, with what the protocol says of it. */
const differences: Record<string, string> = {
  truncated:
    "basic/transports#truncation: a stream that ends inside a run has no outcome, and is never counted as a success",
  "run-mismatch":
    "basic/run-input#identity: both boundary events of a run, and all runs of a stream, carry the ids of one conversation",
  "out-of-order":
    "events/tool-calls#tool_call_result: a result answers a call whose arguments are complete; the Rust SDK refuses it on both ends",
};

const reference = () => verifyEvents(false) as unknown as MonoTypeOperatorFunction<AGUIEvent>;

function compare(stream: readonly AGUIEvent[]): string {
  const ours = refusalOf(stream, verify());
  const theirs = refusalOf(stream, reference());
  if (ours?.index === theirs?.index) return ours === undefined ? "both pass" : "both refuse";
  if (ours && ours.rule in differences && (theirs === undefined || theirs.index > ours.index))
    return ours.rule;
  throw new Error(`ours: ${JSON.stringify(ours)}, theirs: ${JSON.stringify(theirs)}\n${asText(stream)}`);
}

const kinds: Fault["kind"][] = ["dropped", "doubled", "swapped", "renamed", "retagged"];

describe("verify beside the reference client's verifyEvents", () => {
  const seen = new Map<string, number>();
  const count = (verdict: string) => void seen.set(verdict, (seen.get(verdict) ?? 0) + 1);

  it("passes the same legal streams", () => {
    fc.assert(
      fc.property(legalStream(), (stream) => expect(compare(stream)).toBe("both pass")),
      runs(400, 20_000),
    );
  });

  it.each(kinds)("refuses at the same event where one is %s, but for the listed differences", (kind) => {
    fc.assert(
      fc.property(faultyStream(kind), ({ stream }) => count(compare(stream))),
      runs(400, 20_000),
    );
  });

  it("refuses at the same event where there are two faults, but for the listed differences", () => {
    const twice = fc.tuple(fc.constantFrom(...kinds), fc.constantFrom(...kinds)).chain(([first, second]) =>
      faultyStream(
        second,
        {},
        faultyStream(first).map(({ stream }) => stream),
      ),
    );
    fc.assert(
      fc.property(twice, ({ stream }) => count(compare(stream))),
      runs(400, 20_000),
    );
  });

  it("has met each of the listed differences, and agreed far more often", () => {
    for (const difference of Object.keys(differences)) expect(seen.get(difference)).toBeGreaterThan(0);
    const differing = Object.keys(differences).reduce((sum, rule) => sum + seen.get(rule)!, 0);
    expect(seen.get("both refuse")).toBeGreaterThan(differing);
  });
});

describe("verify on chunk events", () => {
  const options: VerifyOptions[] = [{}, { profile: "producer" }];

  it("gives the verdict that it gives on what expandChunks makes of them", () => {
    const streams = fc.oneof(
      legalStream({ chunks: true }),
      fc
        .constantFrom(...kinds)
        .chain((kind) => faultyStream(kind, { chunks: true }).map(({ stream }) => stream)),
    );
    fc.assert(
      fc.property(streams, fc.constantFrom(...options), (stream, each) => {
        const whole = refusalOf(stream, verify(each));
        const expanded = refusalOf(stream, (source) => source.pipe(expandChunks(), verify(each)));
        if (JSON.stringify(whole) === JSON.stringify(expanded)) return;
        throw new Error(`${JSON.stringify(whole)}, expanded: ${JSON.stringify(expanded)}\n${asText(stream)}`);
      }),
      runs(1_500, 20_000),
    );
  });
});
