/** Keys that lead out of the data: no pointer goes through them, in patches read and in patches made. */
export const isForbiddenKey = (key: string): boolean =>
  key === "__proto__" || key === "constructor" || key === "prototype";

/** The pointer to a member, given the pointer to what holds it (RFC 6901). */
export function memberPointer(pointer: string, key: string | number): string {
  if (typeof key === "number") return `${pointer}/${key}`;
  const escaped = /[~/]/.test(key) ? key.replaceAll("~", "~0").replaceAll("/", "~1") : key;
  return `${pointer}/${escaped}`;
}

/** The segments of a pointer, "" for the document itself first; undefined when it is no pointer. */
export function pointerSegments(pointer: unknown): string[] | undefined {
  if (typeof pointer !== "string" || (pointer !== "" && pointer[0] !== "/")) return undefined;
  const segments = pointer.split("/");
  if (!pointer.includes("~")) return segments;
  if (/~(?![01])/.test(pointer)) return undefined;
  return segments.map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}
