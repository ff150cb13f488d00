import type { ContentPart } from "../protocol/vocabulary.js";
import { jsonText } from "./to-fragments.js";

const partTypes: ReadonlySet<unknown> = new Set(["text", "image", "audio", "video", "document"]);

/** What a tool gave as a result's content: text and content parts as they are, nothing as "", else JSON. */
export function resultContent(value: unknown): string | ContentPart[] {
  if (value === undefined) return "";
  return typeof value === "string" || isParts(value) ? value : jsonText(value);
}

function isParts(value: unknown): value is ContentPart[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part: { readonly type?: unknown } | null) => partTypes.has(part?.type))
  );
}
