import { removed, unknown } from "./findings.js";
import type { Check } from "./shape.js";

/**
 * A `{ type: "binary" }` part, which the protocol has retired, as the media part that took its place.
 *
 * A part with neither data nor a URL names bytes that nobody here can find: it goes as an unknown part does.
 */
export const binaryPart =
  (mediaPart: Check): Check =>
  (value, at, key) => {
    const { mimeType, data, url, filename } = value as Record<string, unknown>;
    if (data == null && url == null) return unknown(at, "binary");
    removed(at, "retired-shape", key, 'was a retired "binary" part and was read as a media part');
    const part = {
      type: /^(image|audio|video)\//.exec(String(mimeType))?.[1] ?? "document",
      source: { type: data == null ? "url" : "data", value: data ?? url, mimeType },
      ...(filename != null && { metadata: { filename } }),
    };
    return mediaPart(part, at, key);
  };
