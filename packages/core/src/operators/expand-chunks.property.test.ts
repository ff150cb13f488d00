import { transformChunks } from "@ag-ui/client";
import fc from "fast-check";
import { from, type MonoTypeOperatorFunction, type Observable } from "rxjs";
import { expandChunks, type AGUIEvent } from "../index.js";
import { chunkStream } from "./chunk-stream.fixture.js";

const numRuns = process.env["AGRX_SOAK"] ? 20_000 : 1_000;

// The reference types its events looser than the protocol's package does.
const referenceExpansion = transformChunks(false) as unknown as MonoTypeOperatorFunction<AGUIEvent>;

function outcome(source: Observable<AGUIEvent>) {
  const values: AGUIEvent[] = [];
  let refused = false;
  source.subscribe({ next: (event) => values.push(event), error: () => (refused = true) });
  return { values, refused };
}

describe("expandChunks beside the reference client", () => {
  it("gives the same events, and refuses at the same one", () => {
    let refusals = 0;
    fc.assert(
      fc.property(chunkStream, (stream) => {
        const ours = outcome(from(stream).pipe(expandChunks()));
        const reference = outcome(from(stream).pipe(referenceExpansion));
        expect(ours).toEqual(reference);
        if (ours.refused) refusals++;
      }),
      { seed: 1, numRuns },
    );
    // Else the streams say little of one side.
    expect(refusals / numRuns).toBeGreaterThan(0.2);
    expect(refusals / numRuns).toBeLessThan(0.9);
  });
});
