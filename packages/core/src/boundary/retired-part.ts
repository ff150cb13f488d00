import { malformed, removed, unknown } from "./findings.js";
import type { Check } from "./shape.js";

/**
 * A `{ type: "binary" }` part, which the protocol has retired, as the media part that took its place.
 *
 * A part with neither data nor a URL names bytes that nobody here can find: it goes as an unknown part does.
 */
export const binaryPart: Check = (value, at, key) => {
  const { mimeType, data, url, filename } = value as Record<string, unknown>;
  if (typeof mimeType !== "string") return malformedField("mimeType", mimeType);
  const bytes = data ?? url;
  if (bytes === undefined || bytes === null) return unknown(at, "binary");
  if (typeof bytes !== "string") return malformedField(data === bytes ? "data" : "url", bytes);
  removed(at, "retired-shape", key, 'was a retired "binary" part and was read as a media part');
  return {
    type: /^(image|audio|video)\//.exec(mimeType)?.[1] ?? "document",
    source: { type: data === bytes ? "data" : "url", value: bytes, mimeType },
    ...(typeof filename === "string" && { metadata: { filename } }),
  };

  function malformedField(name: string, found: unknown): unknown {
    at.trail.push(key!);
    malformed(at, name, "a string", found);
    at.trail.pop();
    return value;
  }
};
