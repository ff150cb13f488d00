import fc from "fast-check";
import { concat, EMPTY, from, NEVER, of, range, map, Subject, take, throwError, toArray } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import type { Warning } from "../protocol/warning.js";
import { decodeSse, type DecodeSseOptions } from "./decode-sse.js";

const soak = process.env["AGRX_SOAK"] !== undefined;

type Fragment = Uint8Array | string;

function decode(fragments: Iterable<Fragment>, options?: DecodeSseOptions) {
  const events: unknown[] = [];
  let error: { code?: string; frame?: number; index?: number; message: string } | undefined;
  let completed = false;
  from(fragments)
    .pipe(decodeSse(options))
    .subscribe({
      next: (event) => events.push(event),
      error: (cause: unknown) => (error = cause as typeof error),
      complete: () => (completed = true),
    });
  return { events, error, completed };
}

const content = (delta: string) => ({ type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta });
const frame = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;

/** A stream with all that the grammar allows, and characters of one to four bytes. */
const everything = [
  ": a comment\n",
  frame(content("a")),
  `event: agui\nid: 7\nretry: 100\nfuture: field\nnocolon\n${frame(content("é€😀\u2028"))}`,
  "data\n\n",
  "data:\n\n",
  `data:{"type":"TEXT_MESSAGE_CONTENT",\ndata: "messageId":"m",\n: within\ndata: "delta":"joined"}\n\n`,
  ": heartbeat\n\n",
  frame(content("\r\n")),
].join("");
const expected = [content("a"), content("é€😀\u2028"), content("joined"), content("\r\n")];

const endings = { LF: "\n", CR: "\r", CRLF: "\r\n" };

describe("decodeSse", () => {
  describe.each(Object.entries(endings))("with lines that end in %s", (_name, ending) => {
    const text = everything.replaceAll("\n", ending);
    const bytes = new TextEncoder().encode(text);

    it("gives the same events for every cut of the bytes in two", () => {
      for (let i = 0; i <= bytes.length; i++) {
        expect(decode([bytes.subarray(0, i), bytes.subarray(i)])).toEqual({
          events: expected,
          completed: true,
        });
      }
    });

    it("gives the same events for every cut of the text in two", () => {
      for (let i = 0; i <= text.length; i++) {
        expect(decode([text.slice(0, i), text.slice(i)])).toEqual({ events: expected, completed: true });
      }
    });

    it("gives the same events byte by byte and with empty fragments between", () => {
      const single = [...bytes].flatMap((byte) => [Uint8Array.of(byte), new Uint8Array()]);
      expect(decode(single)).toEqual({ events: expected, completed: true });
    });

    it("gives the same events for any cut of the bytes", () => {
      fc.assert(
        fc.property(fc.uniqueArray(fc.nat({ max: bytes.length }), { maxLength: 20 }), (cuts) => {
          const points = [0, ...cuts.sort((a, b) => a - b), bytes.length];
          const parts = points.slice(1).map((end, i) => bytes.subarray(points[i], end));
          expect(decode(parts)).toEqual({ events: expected, completed: true });
        }),
        { seed: 2_026, numRuns: soak ? 20_000 : 300 },
      );
    });

    it("gives an event as soon as its frame has ended", () => {
      const source = new Subject<string>();
      const seen: unknown[] = [];
      source.pipe(decodeSse()).subscribe((event) => seen.push(event));
      source.next(`data: ${JSON.stringify(content("a"))}${ending}${ending}`);
      expect(seen).toHaveLength(1);
    });

    it("errors at an end anywhere but between frames, comments apart", () => {
      const whole = `data: ${JSON.stringify(content("é"))}${ending}${ending}`;
      const cut = new TextEncoder().encode(`id: 1${ending}${whole}`);
      const last = ending === "\r\n" ? 2 : 1; // the CR alone of a CRLF ends a line too
      for (let i = 1; i <= cut.length - last; i++) {
        const { events, error } = decode([whole, cut.subarray(0, i)]);
        expect(events).toEqual([content("é")]);
        expect(error).toMatchObject({ name: "SseError", code: "truncated", frame: 1 });
      }
      expect(decode([whole, ": half a comm"])).toMatchObject({ error: undefined, completed: true });
    });
  });

  it.each<[string, Fragment[]]>([
    [
      "bytes",
      [Uint8Array.of(0xef, 0xbb), Uint8Array.of(0xbf), new TextEncoder().encode(frame(content("a")))],
    ],
    ["text", ["", "\uFEFF", frame(content("a"))]],
  ])("skips a byte order mark at the start of %s", (_title, fragments) => {
    expect(decode(fragments)).toEqual({ events: [content("a")], completed: true });
  });

  it("reads bytes that are no UTF-8 as U+FFFD", () => {
    const [before, after] = frame(content("*")).split("*") as [string, string];
    expect(decode([before, Uint8Array.of(0xff), after]).events).toEqual([content("\uFFFD")]);
  });

  it("enforces the processing rules, with warnings, and counts frames with data", () => {
    const warnings: Warning[] = [];
    const { events, error } = decode(
      [
        ": c\n\n",
        frame({ type: "FUTURE" }),
        frame({ ...content("a"), mood: 1 }),
        frame({ type: "STEP_STARTED" }),
      ],
      { onWarning: (warning) => warnings.push(warning) },
    );
    expect(events).toEqual([content("a")]);
    expect(warnings.map(({ code, index }) => [code, index])).toEqual([
      ["unknown-event", 0],
      ["unknown-property", 1],
    ]);
    expect(error).toMatchObject({ code: "invalid-event", path: "stepName", index: 2 });
  });

  it.each(["{", "[DONE]", "sk-secret", '{"a":1}{"b":2}'])(
    "refuses the data %s without repeating it",
    (data) => {
      const { events, error } = decode([frame(content("a")), `data: ${data}\n\n`, frame(content("b"))]);
      expect(events).toEqual([content("a")]);
      expect(error).toMatchObject({ name: "SseError", code: "invalid-json", frame: 1 });
      expect(error!.message).not.toContain(data);
    },
  );

  it.each<[string, string[]]>([
    ["an endless line", ["data: ", ...Array<string>(20).fill("x".repeat(10))]],
    ["an endless frame", Array<string>(40).fill('data: "x",\n')],
    ["a frame in one piece", [frame(content("x".repeat(200)))]],
  ])("errors at %s longer than the limit", (_title, fragments) => {
    expect(decode([frame(content("a")), ...fragments], { maxFrameLength: 100 })).toMatchObject({
      events: [content("a")],
      error: { code: "frame-too-large", frame: 1 },
    });
  });

  it("takes any number of frames below the limit in one fragment", () => {
    expect(decode([frame(content("a")).repeat(100)], { maxFrameLength: 100 }).events).toHaveLength(100);
  });

  describe("as an operator", () => {
    const run = (test: (helpers: Parameters<Parameters<TestScheduler["run"]>[0]>[0]) => void) =>
      new TestScheduler((actual, wanted) => expect(actual).toEqual(wanted)).run(test);
    const e = content("a");
    const [head, tail] = [frame(e).slice(0, 9), frame(e).slice(9)];
    const fragments = { f: frame(e), h: head, t: tail, x: "data: {\n\n", d: frame(e) + frame(e) };
    const values = { e };

    it("gives the events of each fragment, and errors when the source ends in a frame", () => {
      run(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot("  --f--h--t--d-----h--|", fragments);
        const subs = "        ^-------------------!";
        const expected = "    --e-----e--(ee)-----#";
        expectObservable(source.pipe(decodeSse())).toBe(
          expected,
          values,
          expect.objectContaining({ code: "truncated", frame: 4 }),
        );
        expectSubscriptions(source.subscriptions).toBe(subs);
      });
    });

    it("leaves the source at what it cannot read, and when it is left", () => {
      run(({ hot, expectObservable, expectSubscriptions }) => {
        const source = hot("  --f--x--f--|", fragments);
        const expected = "    --e--#      ";
        const leave = "       ---!        ";
        expectObservable(source.pipe(decodeSse())).toBe(
          expected,
          values,
          expect.objectContaining({ code: "invalid-json" }),
        );
        expectObservable(source.pipe(decodeSse()), leave).toBe("--e-", values);
        expectSubscriptions(source.subscriptions).toBe(["^----!", "^--!"]);
      });
    });

    it("passes never, empty and an error on as they are", () => {
      run(({ expectObservable }) => {
        expectObservable(NEVER.pipe(decodeSse())).toBe("-");
        expectObservable(EMPTY.pipe(decodeSse())).toBe("|");
        const broken = concat(
          of(frame(e), head),
          throwError(() => "broken"),
        );
        expectObservable(broken.pipe(decodeSse())).toBe("(e#)", values, "broken");
      });
    });

    it("ends an endless synchronous source when enough was taken", () => {
      let last: unknown[] = [];
      range(0, Infinity)
        .pipe(
          map(() => frame(e)),
          decodeSse(),
          take(3),
          toArray(),
        )
        .subscribe((events) => (last = events));
      expect(last).toEqual([e, e, e]);
    });

    it("begins anew for each subscriber", () => {
      const source = from([head, tail]).pipe(decodeSse());
      for (let i = 0; i < 2; i++) {
        let seen: unknown;
        source.subscribe((event) => (seen = event));
        expect(seen).toEqual(e);
      }
    });
  });
});
