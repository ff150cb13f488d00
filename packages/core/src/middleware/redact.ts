import { map, type MonoTypeOperatorFunction } from "rxjs";
import { EventType, type AGUIEvent, type EventOf, type JsonPatchOperation } from "../protocol/vocabulary.js";

/** How {@link redact} writes. */
export interface RedactOptions {
  /** What stands in a value's place. Default `"[redacted]"`. */
  readonly replacement?: unknown;
}

type Segments = readonly string[];

/**
 * Replaces values at given paths in every event, before it leaves for a log, a recording or a client.
 *
 * A path is dotted, `*` stands for any one key or index. It begins in the event (`rawEvent`, `value.token`,
 * `messages.*.content`), or with `state`: then it is a path in the run's state, and covers snapshots, deltas
 * and the input's state alike. What is off the paths keeps its reference; an event without any of them passes
 * as the same object. Text that comes in fragments is not searched.
 *
 * ```text
 * source:                    --s(token)--t--|
 * redact(["state.token"])
 * result:                    --s(***)----t--|
 * ```
 *
 * Synchronous; completes and errors with the source.
 *
 * @param paths - dotted paths
 *
 * @example
 * ```ts
 * import { of } from "rxjs";
 * import { events } from "@agrx/core";
 * import { redact } from "@agrx/core/middleware";
 *
 * of(events.stateSnapshot({ snapshot: { user: "Ada", token: "s3cret" } }))
 *   .pipe(redact(["state.token"]))
 *   .subscribe((event) => console.log(JSON.stringify(event.snapshot))); // {"user":"Ada","token":"[redacted]"}
 * ```
 */
export function redact<E extends AGUIEvent = AGUIEvent>(
  paths: readonly string[],
  { replacement = "[redacted]" }: RedactOptions = {},
): MonoTypeOperatorFunction<E> {
  const split = paths.map((path) => path.split("."));
  const inState = split.filter(([first]) => first === "state").map((segments) => segments.slice(1));
  const inEvent = split.filter(([first]) => first !== "state");
  const all: readonly Segments[] = [
    ...inEvent,
    ...inState.flatMap((segments) => [
      ["snapshot", ...segments],
      ["input", "state", ...segments],
    ]),
  ];
  return map((event) => {
    const redacted = all.reduce<unknown>((value, path) => replaceAt(value, path, replacement), event) as E;
    return isStateDelta(redacted) ? redactDelta(redacted, inState, replacement) : redacted;
  });
}

/** Copies the path to each value that it finds; without one gives back the very same value. */
function replaceAt(value: unknown, [key, ...rest]: Segments, replacement: unknown): unknown {
  if (key === undefined) return replacement;
  if (typeof value !== "object" || value === null) return value;
  let copy: Record<string, unknown> | unknown[] | undefined;
  for (const name of key === "*" ? Object.keys(value) : [key]) {
    if (!Object.hasOwn(value, name)) continue;
    const before: unknown = Reflect.get(value, name);
    const after = replaceAt(before, rest, replacement);
    if (after === before) continue;
    copy ??= Array.isArray(value) ? [...(value as unknown[])] : { ...value };
    Reflect.set(copy, name, after);
  }
  return copy ?? value;
}

function isStateDelta<E extends AGUIEvent>(event: E): event is E & EventOf<"STATE_DELTA"> {
  return event.type === EventType.STATE_DELTA;
}

function redactDelta<E extends EventOf<"STATE_DELTA">>(
  event: E,
  paths: readonly Segments[],
  replacement: unknown,
): E {
  const delta = event.delta.map((operation) =>
    paths.reduce<JsonPatchOperation>((next, path) => redactOperation(next, path, replacement), operation),
  );
  return delta.every((operation, at) => operation === event.delta[at]) ? event : { ...event, delta };
}

/** An operation at or below the path loses its value whole; one above it, what of its value is on the path. */
function redactOperation(
  operation: JsonPatchOperation,
  path: Segments,
  replacement: unknown,
): JsonPatchOperation {
  if (!("value" in operation)) return operation;
  const target = operation.path.split("/").slice(1).map(unescapeToken);
  const shared = Math.min(target.length, path.length);
  for (let at = 0; at < shared; at++) if (path[at] !== "*" && path[at] !== target[at]) return operation;
  const value = replaceAt(operation.value, path.slice(target.length), replacement);
  return value === operation.value ? operation : { ...operation, value };
}

function unescapeToken(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
