import { concat, EMPTY, from, map, NEVER, of, range, take, throwError } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { events } from "../protocol/events.js";
import type { AGUIEvent } from "../protocol/vocabulary.js";
import { decodeSse } from "./decode-sse.js";
import { encodeSse } from "./encode-sse.js";

const run = (test: (helpers: Parameters<Parameters<TestScheduler["run"]>[0]>[0]) => void) =>
  new TestScheduler((actual, expected) => expect(actual).toEqual(expected)).run(test);

const event = events.textMessageContent({ messageId: "m", delta: "a" });
const f = 'data: {"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a"}\n\n';
const sent: Record<string, AGUIEvent> = { e: event };
const values = { f, h: ": heartbeat\n\n" };

describe("encodeSse", () => {
  it("writes each event as one data line, whatever line breaks are in it", () => {
    const frames: string[] = [];
    const odd = events.textMessageContent({ messageId: "m", delta: "\n\n\r\ndata: x\u2028😀\ud800" });
    of(odd)
      .pipe(encodeSse())
      .subscribe((frame) => frames.push(frame));
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatch(/^data: [^\r\n]*\n\n$/);
    const back: unknown[] = [];
    from(frames)
      .pipe(decodeSse())
      .subscribe((each) => back.push(each));
    expect(back).toEqual([odd]);
  });

  it("looks every so many milliseconds, and sends a comment when nothing was sent since", () => {
    run(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("--e------e-e---------|", sent);
      const subs = "                 ^--------------------!";
      //                             ----?---?---?---?---?-
      const expected = "             --f-----hf-f----h---h|";
      expectObservable(source.pipe(encodeSse({ heartbeat: 4 }))).toBe(expected, values);
      expectSubscriptions(source.subscriptions).toBe(subs);
    });
  });

  it("sends comments before the first event too, and none after an error", () => {
    run(({ hot, expectObservable }) => {
      const source = hot("------e---#", sent);
      const expected = "             ----h-f---#";
      expectObservable(source.pipe(encodeSse({ heartbeat: 4 }))).toBe(expected, values, "error");
    });
  });

  it("leaves the source, and its timer, when it is left", () => {
    run(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("--e----------", sent);
      const leave = "                ---------!   ";
      const expected = "             --f-----h-   ";
      expectObservable(source.pipe(encodeSse({ heartbeat: 4 })), leave).toBe(expected, values);
      expectSubscriptions(source.subscriptions).toBe("^--------!");
    });
  });

  it("leaves no timer behind", () => {
    jest.useFakeTimers();
    try {
      of(event)
        .pipe(encodeSse({ heartbeat: 5 }))
        .subscribe();
      NEVER.pipe(encodeSse({ heartbeat: 5 }))
        .subscribe()
        .unsubscribe();
      NEVER.pipe(encodeSse()).subscribe();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it.each([0, 5])("passes never, empty and errors on with a heartbeat of %i", (heartbeat) => {
    run(({ expectObservable }) => {
      expectObservable(EMPTY.pipe(encodeSse({ heartbeat }))).toBe("|");
      expectObservable(throwError(() => "broken").pipe(encodeSse({ heartbeat }))).toBe("#", values, "broken");
      const one = concat(
        of(event),
        throwError(() => "broken"),
      );
      expectObservable(one.pipe(encodeSse({ heartbeat }))).toBe("(f#)", values, "broken");
    });
  });

  it.each([0, 5])("ends an endless synchronous source with a heartbeat of %i", (heartbeat) => {
    const seen: string[] = [];
    range(0, Infinity)
      .pipe(
        map(() => event),
        encodeSse({ heartbeat }),
        take(3),
      )
      .subscribe((frame) => seen.push(frame));
    expect(seen).toEqual([f, f, f]);
  });

  it("errors at an event that is no JSON", () => {
    const circular = { ...event, rawEvent: {} as Record<string, unknown> };
    circular.rawEvent["self"] = circular;
    let failure: unknown;
    of(circular as AGUIEvent)
      .pipe(encodeSse())
      .subscribe({ error: (error: unknown) => (failure = error) });
    expect(failure).toBeInstanceOf(TypeError);
  });

  it("keeps nothing between subscribers", () => {
    const frames: string[] = [];
    const source = of(event).pipe(encodeSse({ heartbeat: 5 }));
    source.subscribe((frame) => frames.push(frame));
    source.subscribe((frame) => frames.push(frame));
    expect(frames).toEqual([f, f]);
  });
});
