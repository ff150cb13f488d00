import type { ContentPart, PartSource, Warning } from "@agrx/core";

/** The parts of a content; a string is one text part, an empty one none. */
export function partsOf(content: string | readonly ContentPart[]): readonly ContentPart[] {
  if (typeof content !== "string") return content;
  return content === "" ? [] : [{ type: "text", text: content }];
}

/** A data URL of inline bytes, or the URL; a provider's file handle has none. */
export function urlOf(source: PartSource): string | undefined {
  if (source.type === "data") return `data:${source.mimeType};base64,${source.value}`;
  return source.type === "url" ? source.value : undefined;
}

/** The bytes that base64 text stands for. */
export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** The second half of a media type, as in `image/png`: the format's usual name. */
export function formatOf(source: PartSource): string | undefined {
  return source.mimeType?.split("/")[1]?.split(";")[0];
}

/**
 * Turns parts into a provider's; one it cannot take is left out with the warning `part-left-out`
 * (AG-UI 1.1 basic/run-input: a producer drops such parts and never fails for them).
 */
export function convertParts<T>(
  content: string | readonly ContentPart[],
  convert: (part: ContentPart) => T | undefined,
  provider: string,
  onWarning: ((warning: Warning) => void) | undefined,
): T[] {
  const converted: T[] = [];
  for (const part of partsOf(content)) {
    if (part.type === "text" && part.text === "") continue;
    const result = convert(part);
    if (result !== undefined) converted.push(result);
    else onWarning?.(leftOut(part, provider));
  }
  return converted;
}

/** The text of a content; media are left out with the warning `part-left-out`. */
export function textOf(
  content: string | readonly ContentPart[],
  provider: string,
  onWarning: ((warning: Warning) => void) | undefined,
): string {
  if (typeof content === "string") return content;
  const asText = (part: ContentPart) => (part.type === "text" ? part.text : undefined);
  return convertParts(content, asText, provider, onWarning).join("");
}

function leftOut(part: ContentPart, provider: string): Warning {
  const source = part.type === "text" ? "" : ` with a ${part.source.type} source`;
  return {
    code: "part-left-out",
    message: `${provider} takes no ${part.type} part${source} here; it was left out.`,
  };
}
