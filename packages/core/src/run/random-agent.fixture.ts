import fc from "fast-check";
import { catchError, EMPTY, identity, map, mergeAll, Subject, takeUntil, type Observable } from "rxjs";
import { events, run, type AGUIEvent, type RunContext, type RunOptions } from "../index.js";
import { dispose } from "./dispose.js";
import { inputOf, record } from "./run.fixture.js";

/*
 * Random agents: handles and builders are opened, fed, ended and cut in any order, some of it from inside the
 * subscriber's `next`, until an ending of any kind. Whatever they do, the run is legal.
 */

type Kind = "call" | "message" | "reasoning" | "step";
type Use = "feed" | "end" | "close" | "fail";
/** One act of a random agent. */
export type Act =
  | { readonly open: Kind; readonly form: "handle" | "builder"; readonly inside: number }
  | { readonly use: Use; readonly which: number }
  | { readonly say: "state" | "custom" };

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      open: fc.constantFrom<Kind>("call", "message", "reasoning", "step"),
      form: fc.constantFrom<"handle" | "builder">("handle", "builder"),
      inside: fc.nat(3),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      use: fc.constantFrom<Use>("feed", "feed", "feed", "end", "end", "close", "close", "fail"),
      which: fc.nat(9),
    }),
  },
  { weight: 1, arbitrary: fc.record({ say: fc.constantFrom<"state" | "custom">("state", "custom") }) },
);
/** What an agent does, and how it ends. */
export const acts = fc.array(act, { maxLength: 40 });
export const ending = fc.constantFrom("complete", "throw", "stop", "finished event", "error event");
/** How many agents, and which. */
export const runs = { seed: 20260801, numRuns: process.env["AGRX_SOAK"] ? 20_000 : 400 };

/** What was opened, whichever way. */
type Opened = Record<Use, () => void>;

function openByHandle(ctx: RunContext, kind: Kind, step: string): Opened {
  const close = (handle: { [dispose](): void }) => () => handle[dispose]();
  if (kind === "call") {
    const call = ctx.openToolCall("f");
    return {
      feed: () => call.args("1"),
      end: () => void call.result("x"),
      close: close(call),
      fail: () => call.end(),
    };
  }
  if (kind === "step") {
    const handle = ctx.openStep(step);
    return { feed: () => undefined, end: () => handle.end(), close: close(handle), fail: close(handle) };
  }
  const message = kind === "message" ? ctx.openMessage() : ctx.openReasoning();
  return {
    feed: () => message.content("x"),
    end: () => message.end(),
    close: close(message),
    fail: close(message),
  };
}

function build(
  ctx: RunContext,
  kind: Kind,
  step: string,
  wraps: number,
  send: (source: Observable<AGUIEvent>) => void,
): Opened {
  const source = new Subject<string>();
  const cut = new Subject<void>();
  let built: Observable<AGUIEvent> = {
    call: () => ctx.toolCall("f", { args: source, result: () => "x" }),
    message: () => ctx.text(source),
    reasoning: () => ctx.reasoning(source),
    step: () => ctx.step(step, source.pipe(map((value) => events.custom({ name: "n", value })))),
  }[kind]();
  if (wraps & 1) built = ctx.step(`${step} outer`, built);
  if (wraps & 2) built = ctx.subagent("n", built);
  if (wraps & 1) built = built.pipe(catchError(() => EMPTY));
  send(built.pipe(takeUntil(cut)));
  return {
    feed: () => source.next("1"),
    end: () => source.complete(),
    close: () => cut.next(),
    fail: () => source.error(new Error("failed")),
  };
}

/** How an agent's acts are played. */
export interface Play {
  readonly ending: string;
  /** Acts done from inside the subscriber's `next`, one at each CUSTOM. */
  readonly inNext?: readonly Act[];
  /** The way of the builders' events to the run. */
  readonly way?: (source: Observable<AGUIEvent>) => Observable<AGUIEvent>;
  readonly guard?: RunOptions["guard"];
}

/** Plays the acts and gives what the subscriber got. */
export function play(plan: readonly Act[], { ending: end, inNext = [], way = identity, guard }: Play) {
  const stop = new AbortController();
  const built = new Subject<Observable<AGUIEvent>>();
  const opened: Opened[] = [];
  const waiting = [...inNext];
  let ctx!: RunContext;
  let steps = 0;

  function perform(one: Act): void {
    try {
      if ("open" in one) {
        const step = `s${(steps += 1)}`;
        opened.push(
          one.form === "handle"
            ? openByHandle(ctx, one.open, step)
            : build(ctx, one.open, step, one.inside, (source) => built.next(source)),
        );
      } else if ("use" in one) {
        opened[one.which % opened.length]?.[one.use]();
      } else if (one.say === "state") {
        ctx.updateState(() => ({ n: Math.random() }));
      } else {
        ctx.emit(events.custom({ name: "n", value: 1 }));
      }
    } catch (error) {
      // Misuse of a handle is refused; the run must stand it.
      expect(["bracket-closed", "run-closed", "already-answered"]).toContain(
        (error as { code: string }).code,
      );
    }
  }

  const recording = record(
    run(
      inputOf(),
      (context) => {
        ctx = context;
        return built.pipe(mergeAll(), way);
      },
      { stop: stop.signal, guard },
    ).pipe(
      map((event) => {
        const next = event.type === "CUSTOM" && waiting.shift();
        if (next) perform(next);
        return event;
      }),
    ),
  );
  plan.forEach(perform);
  const ids = { threadId: "t", runId: "r" };
  if (end === "complete") {
    built.complete();
    opened.forEach(({ end: finish, close }) => {
      try {
        finish();
      } catch {
        close();
      }
    });
  } else if (end === "throw") built.error(new Error("thrown"));
  else if (end === "stop") stop.abort();
  else if (recording.end === undefined) {
    ctx.emit(end === "finished event" ? events.runFinished(ids) : events.runError({ message: "told" }));
  }
  return recording;
}
