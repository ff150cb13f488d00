import {
  events,
  EventType,
  isOrderingError,
  type OrderingError,
  type AGUIEvent,
  type Warning,
} from "@agrx/core";
import { concat, EMPTY, from, NEVER, of, range, map, take, throwError, toArray, type Observable } from "rxjs";
import { TestScheduler } from "rxjs/testing";
import { verify } from "./verify.js";

const marbles: Record<string, AGUIEvent> = {
  r: events.runStarted({ threadId: "t", runId: "r" }),
  s: events.toolCallStart({ toolCallId: "call-1", toolCallName: "search" }),
  a: events.toolCallArgs({ toolCallId: "call-1", delta: "{}" }),
  e: events.toolCallEnd({ toolCallId: "call-1" }),
  x: events.toolCallArgs({ toolCallId: "call-2", delta: "{}" }),
  f: events.runFinished({ threadId: "t", runId: "r" }),
};
const run = [..."rsaef"].map((key) => marbles[key]!);

function inMarbles(test: Parameters<TestScheduler["run"]>[0]): void {
  new TestScheduler((actual, expected) => expect(summary(actual)).toEqual(summary(expected))).run(test);
}

interface Frame {
  readonly frame: number;
  readonly notification?: { readonly kind: string; readonly error?: { readonly rule?: string } };
}

/** Frames with errors by their rule: the words are not the matter of a marble. Subscriptions stay as they are. */
const summary = (frames: readonly Frame[] | Frame): unknown =>
  Array.isArray(frames)
    ? frames.map((each: Frame) =>
        each.notification?.kind === "E"
          ? [each.frame, each.notification.error?.rule ?? each.notification.error]
          : each,
      )
    : frames;

const broken = (rule: string) => Object.assign(new Error(), { rule });

describe("verify", () => {
  it("passes a legal run on as it comes, and completes with it", () =>
    inMarbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("  --r--s--a--e--f--|", marbles);
      const subs = "        ^----------------!";
      const expected = "    --r--s--a--e--f--|";
      expectObservable(source.pipe(verify())).toBe(expected, marbles);
      expectSubscriptions(source.subscriptions).toBe(subs);
    }));

  it("errors at a fragment of a call that nobody opened, keeps it back and leaves the source", () =>
    inMarbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("  --r--s--a--x--e--|", marbles);
      const subs = "        ^----------!      ";
      const expected = "    --r--s--a--#      ";
      expectObservable(source.pipe(verify())).toBe(expected, marbles, broken("not-open"));
      expectSubscriptions(source.subscriptions).toBe(subs);
    }));

  it("errors where the source completes in the middle of a run", () =>
    inMarbles(({ hot, expectObservable }) => {
      const source = hot("  --r--s--|", marbles);
      const expected = "    --r--s--#";
      expectObservable(source.pipe(verify())).toBe(expected, marbles, broken("truncated"));
    }));

  it("passes the source's own error on as it is", () =>
    inMarbles(({ hot, expectObservable }) => {
      const source = hot("  --r--s--#", marbles, new Error("the wire broke"));
      const expected = "    --r--s--#";
      expectObservable(source.pipe(verify())).toBe(expected, marbles, new Error("the wire broke"));
    }));

  it("leaves the source when it is left, and says nothing more", () =>
    inMarbles(({ hot, expectObservable, expectSubscriptions }) => {
      const source = hot("  --r--s--x--|", marbles);
      const unsub = "       ------!     ";
      const subs = "        ^-----!     ";
      const expected = "    --r--s-     ";
      expectObservable(source.pipe(verify()), unsub).toBe(expected, marbles);
      expectSubscriptions(source.subscriptions).toBe(subs);
    }));

  it("waits with a source that never emits", () =>
    inMarbles(({ expectObservable }) => {
      expectObservable(NEVER.pipe(verify())).toBe("-");
    }));

  it("takes a stream that ends before its first event for truncated", () =>
    inMarbles(({ expectObservable }) => {
      expectObservable(EMPTY.pipe(verify())).toBe("#", undefined, broken("truncated"));
    }));

  it("passes the same objects on", () => {
    const passed: AGUIEvent[] = [];
    from(run)
      .pipe(verify())
      .subscribe((event) => passed.push(event));
    expect(passed).toHaveLength(run.length);
    passed.forEach((event, index) => expect(event).toBe(run[index]));
  });

  it("judges each subscription for itself", () => {
    const source = from(run).pipe(verify());
    const outcomes = [1, 2].map(() => {
      let length = 0;
      source.pipe(toArray()).subscribe((all) => (length = all.length));
      return length;
    });
    expect(outcomes).toEqual([run.length, run.length]);
  });

  it("stops an endless synchronous source when it has enough", () => {
    let asked = 0;
    const endless: Observable<AGUIEvent> = concat(
      of(marbles["r"]!, marbles["s"]!),
      range(0, Infinity).pipe(
        map(() => {
          asked++;
          return marbles["a"]!;
        }),
      ),
    );
    const passed: string[] = [];
    endless.pipe(verify(), take(3)).subscribe(({ type }) => passed.push(type));
    expect(passed).toEqual([EventType.RUN_STARTED, EventType.TOOL_CALL_START, EventType.TOOL_CALL_ARGS]);
    expect(asked).toBe(1);
  });

  it("stops an endless synchronous source at the first illegal event", () => {
    let rule = "";
    concat(of(marbles["r"]!), range(0, Infinity).pipe(map(() => marbles["x"]!)))
      .pipe(verify())
      .subscribe({ error: (error: OrderingError) => (rule = error.rule) });
    expect(rule).toBe("not-open");
  });

  it("makes what onWarning throws the stream's error", () => {
    const warned = events.activityDelta({ messageId: "m", activityType: "PLAN", patch: [] });
    let error: unknown;
    of(marbles["r"]!, warned)
      .pipe(
        verify({
          onWarning: () => {
            throw new Error("no room for warnings");
          },
        }),
      )
      .subscribe({ error: (cause) => (error = cause) });
    expect(error).toEqual(new Error("no room for warnings"));
  });

  it("does not ask for the end of a source that failed", () => {
    let error: unknown;
    concat(
      of(marbles["r"]!),
      throwError(() => "cut"),
    )
      .pipe(verify())
      .subscribe({ error: (cause) => (error = cause) });
    expect(error).toBe("cut");
  });

  it("says with the error what came, where, what was open and what to do", () => {
    let error: unknown;
    of(marbles["r"]!, marbles["s"]!, marbles["x"]!)
      .pipe(verify())
      .subscribe({ error: (cause) => (error = cause) });
    expect(isOrderingError(error)).toBe(true);
    expect(error).toMatchObject({
      name: "OrderingError",
      rule: "not-open",
      code: "not-open",
      event: marbles["x"],
      index: 2,
      id: "call-2",
      open: [{ kind: "toolCall", id: "call-1" }],
      message:
        'TOOL_CALL_ARGS (event 2) is for tool call "call-2", which is not open. Open it first. (1 open: "call-1")',
    });
  });

  it("warns the consumer without stopping, with the event's place", () => {
    const warnings: Warning[] = [];
    of(
      marbles["r"]!,
      events.activityDelta({ messageId: "m", activityType: "PLAN", patch: [] }),
      marbles["f"]!,
    )
      .pipe(verify({ onWarning: (warning) => warnings.push(warning) }))
      .subscribe();
    expect(warnings).toEqual([
      {
        code: "unknown-id",
        index: 1,
        id: "m",
        message: 'ACTIVITY_DELTA (event 1) names activity "m", which is unknown. Show it first.',
      },
    ]);
  });
});
