import { fromAsyncIterable } from "@agrx/core";
import {
  catchError,
  defer,
  finalize,
  from,
  mergeMap,
  type Observable,
  type ObservableInput,
  type OperatorFunction,
} from "rxjs";
import type { Delta } from "../delta.js";
import type { ModelRequest } from "../requests/model-request.js";
import { toProviderError } from "./to-provider-error.js";

/**
 * A model that can be asked. Each subscription is one request: unsubscribing aborts it at once. Errors are
 * `ProviderError`s.
 */
export type Model = (request: ModelRequest) => Observable<Delta>;

/** Sends a request; a promise's value is the stream of chunks, as the official SDKs give it. */
export type AskModel<Chunk> = (
  request: ModelRequest,
  signal: AbortSignal,
) => ObservableInput<Chunk> | PromiseLike<ObservableInput<Chunk>>;

/** What {@link modelFrom} may be told. */
export interface ModelFromOptions {
  /** Lower-case vendor id for errors. Default `custom`. */
  readonly provider?: string;
}

/**
 * Makes a model of any function that sends a request and gives the provider's chunks.
 *
 * `ask` is called once a subscription; `signal` aborts when the subscriber leaves, synchronously, and what
 * `ask` throws or its stream fails with becomes a `ProviderError`.
 *
 * @param ask - sends the request; give `signal` to the SDK, so that leaving closes the connection
 * @param decode - the decoder of the chunks, such as `openaiChat()`
 *
 * @example
 * ```ts
 * import { modelFrom, openaiChat } from "@agrx/llm-adapter";
 *
 * const model = modelFrom(() => [{ choices: [{ index: 0, delta: { content: "Hi" } }] }], openaiChat());
 * model({ messages: [] }).subscribe((delta) => console.log(delta.type)); // text, finish
 * ```
 */
export function modelFrom<Chunk>(
  ask: AskModel<Chunk>,
  decode: OperatorFunction<Chunk, Delta>,
  { provider = "custom" }: ModelFromOptions = {},
): Model {
  return (request) =>
    defer(() => {
      const controller = new AbortController();
      return chunksOf(ask(request, controller.signal)).pipe(finalize(() => controller.abort()));
    }).pipe(
      decode,
      catchError((error: unknown) => {
        throw toProviderError(error, provider);
      }),
    );
}

function chunksOf<Chunk>(
  answer: ObservableInput<Chunk> | PromiseLike<ObservableInput<Chunk>>,
): Observable<Chunk> {
  if ("then" in answer) {
    return from(answer as PromiseLike<ObservableInput<Chunk>>).pipe(mergeMap((stream) => chunksOf(stream)));
  }
  return Symbol.asyncIterator in answer ? fromAsyncIterable(answer) : from(answer);
}
