/** Freezes a value and all it holds, so that who changes it later fails in strict mode. */
export function freezeDeeply<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freezeDeeply);
  }
  return value;
}
