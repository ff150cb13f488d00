/**
 * The number of characters of a value's JSON text, counted without making it; stops as soon as it is
 * more than `limit` and then gives some number above it.
 *
 * So the cost is bounded by the limit: the state beside a small patch is not walked to its end.
 */
export function jsonSize(value: unknown, limit = Infinity): number {
  switch (typeof value) {
    case "string":
      return stringSize(value, limit);
    case "number":
      return Number.isFinite(value) ? String(value).length : "null".length;
    case "boolean":
      return value ? "true".length : "false".length;
    case "object":
      return value === null ? "null".length : containerSize(value, limit);
    default:
      return String(value).length;
  }
}

/** Whether JSON has a text for the value: `undefined`, functions and symbols are left out of objects. */
export function hasJson(value: unknown): boolean {
  return value !== undefined && typeof value !== "function" && typeof value !== "symbol";
}

/** What stands in JSON for the value: `toJSON` is asked, what is no finite number is null. */
export function asJson(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "object" || value === null) return value;
  const { toJSON } = value as { toJSON?: unknown };
  return typeof toJSON === "function" ? (value as { toJSON(): unknown }).toJSON() : value;
}

function stringSize(text: string, limit: number): number {
  const atLeast = text.length + 2;
  if (atLeast > limit) return atLeast;
  return /["\\\p{Cc}\p{Cs}]/u.test(text) ? JSON.stringify(text).length : atLeast;
}

function containerSize(container: object, limit: number): number {
  const json = asJson(container);
  if (json !== container) return hasJson(json) ? jsonSize(json, limit) : "null".length;
  let size = 1; // each member brings a comma or the closing bracket
  if (Array.isArray(json)) {
    size += Math.max(1, json.length);
    for (let i = 0; i < json.length && size <= limit; i++) {
      size += hasJson(json[i]) ? jsonSize(json[i], limit - size) : "null".length;
    }
    return size;
  }
  for (const key in json) {
    if (size > limit) return size;
    const member: unknown = (json as Record<string, unknown>)[key];
    if (!hasJson(member) || !Object.hasOwn(json, key)) continue;
    size += stringSize(key, limit - size) + 2;
    size += jsonSize(member, limit - size);
  }
  return Math.max(size, 2);
}
