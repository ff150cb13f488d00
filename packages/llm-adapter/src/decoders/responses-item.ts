/** An output item of the Responses API, with the fields that one type or another has. */
export interface ResponsesItem {
  readonly type: string;
  readonly id?: string | null;
  readonly call_id?: string | null;
  readonly name?: string | null;
  readonly arguments?: unknown;
  readonly input?: string | null;
  readonly status?: string | null;
  readonly [field: string]: unknown;
}

/** Where an item stands in the answer: its `output_index`, or its id where there is none. */
export type ItemSlot = string | number;

/** The id that an item goes by: a call's result names its call id. */
export function idOf({ call_id, id }: ResponsesItem): string | undefined {
  return call_id || id || undefined;
}
