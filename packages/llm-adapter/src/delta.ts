import type { ContentPart, Metadata, TokenUsage } from "@agrx/core";
import type { ProviderError } from "./provider-error.js";

/** A fragment of the answer's text. A new `key` begins a new message. */
export interface TextDelta {
  readonly type: "text";
  readonly text: string;
  /** The provider's text block; fragments of one block share it. */
  readonly key?: string;
  /** True when the text is a refusal rather than an answer. */
  readonly refusal?: true;
  /** What the next request must send back with this text, such as a thought signature. */
  readonly encryptedValue?: string;
  /** What the encrypted value is, in the provider's word (AG-UI 1.1 `encryptedValueType`). */
  readonly encryptedValueType?: string;
  /** Citations, annotations, log probabilities: what belongs to this text. */
  readonly metadata?: Metadata;
}

/** A fragment of reasoning: full, summarised, or redacted (no text, only an encrypted value). */
export interface ReasoningDelta {
  readonly type: "reasoning";
  readonly text: string;
  /** The provider's reasoning block; fragments of one block share it. */
  readonly key?: string;
  /** What the next request must send back for this block: a signature, or the encrypted reasoning. */
  readonly encryptedValue?: string;
  /** What the encrypted value is, in the provider's word (AG-UI 1.1 `encryptedValueType`). */
  readonly encryptedValueType?: string;
  readonly metadata?: Metadata;
}

/** A tool call begins: its id and name are known, and will not change. */
export interface ToolCallStartDelta {
  readonly type: "tool-call-start";
  /** The adapter's own stable key for the call: what groups its deltas. */
  readonly key: string;
  readonly id: string;
  /** The provider gave no id: this one was made here, the same for the same stream. */
  readonly synthetic?: true;
  readonly name: string;
  /** Position among the calls of the answer, from 0, where the provider gives one. */
  readonly index?: number;
  /** A custom tool: its input is free text, not JSON. */
  readonly custom?: true;
  /** The provider runs the tool itself. */
  readonly providerExecuted?: true;
  /** What the next request must send back with the call, such as a thought signature. */
  readonly encryptedValue?: string;
  /** What the encrypted value is, in the provider's word. */
  readonly encryptedValueType?: string;
  readonly metadata?: Metadata;
}

/** A fragment of a call's arguments, exactly as it was sent. */
export interface ToolCallFragmentDelta {
  readonly type: "tool-call-fragment";
  readonly key: string;
  readonly text: string;
}

/** A call's end is certain: by the provider's marker, by a finish, or by the rule for streams that just end. */
export interface ToolCallEndDelta {
  readonly type: "tool-call-end";
  readonly key: string;
  /**
   * - `complete`: all of its text came. Whether that is JSON is for who reads it to say: `toToolCalls` calls it
   *   `invalid` when it is not.
   * - `incomplete`: it was cut. It must not run.
   */
  readonly status: "complete" | "incomplete";
  /** With `incomplete`: the stream just ended, without a word on this call. */
  readonly truncated?: true;
  /** With `incomplete`: the vendor id of who cut it, for the error. */
  readonly provider?: string;
}

/** What a tool that the provider ran itself gave. */
export interface ToolResultDelta {
  readonly type: "tool-result";
  /** The call's key; the id itself when the call did not come in this stream. */
  readonly key: string;
  /** The call's id. */
  readonly id: string;
  readonly result: unknown;
  /** The result as parts, where it is an image or another medium. */
  readonly content?: readonly ContentPart[];
  readonly isError?: true;
  /** More is to come: a later result of the same call replaces this one. */
  readonly preliminary?: true;
  readonly metadata?: Metadata;
}

/** Tokens used. A later one of the same answer replaces an earlier one. */
export interface UsageDelta {
  readonly type: "usage";
  readonly usage: TokenUsage;
}

/** Why the model stopped, in agrx's words. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "pause" | "error" | "other";

/** The model stopped. More deltas may follow: usage, or even calls (BerriAI/litellm#19121). */
export interface FinishDelta {
  readonly type: "finish";
  /** `tool-calls` instead of `stop` whenever the answer holds a call for the agent or the client. */
  readonly reason: FinishReason;
  /** The provider's own word; empty when it said none. */
  readonly raw: string;
  /** The provider sent no finish: the stream just ended, and nothing in it was cut. */
  readonly implied?: true;
}

/** The provider reported an error in its stream, or the stream was cut. */
export interface ErrorDelta {
  readonly type: "error";
  readonly error: ProviderError;
}

/** What else the provider said of its answer: sources, files, images. */
export interface CustomDelta {
  readonly type: "custom";
  /** `<provider>.<what>`, such as `openai.image`. */
  readonly name: string;
  readonly value: unknown;
}

/**
 * The neutral step between a provider's chunks and the protocol's events.
 *
 * Each delta of a tool call carries the adapter's own key for the call, since providers tell fragments
 * apart by index, by id, by position or not at all.
 */
export type Delta =
  | TextDelta
  | ReasoningDelta
  | ToolCallStartDelta
  | ToolCallFragmentDelta
  | ToolCallEndDelta
  | ToolResultDelta
  | UsageDelta
  | FinishDelta
  | ErrorDelta
  | CustomDelta;

/** Takes the deltas a machine makes. */
export type EmitDelta = (delta: Delta) => void;
