/**
 * Whether two JSON values are equal: objects whatever the order of their keys, arrays by position.
 *
 * Own properties only; what is `===` is not looked into. It keeps its own stack, since a peer's JSON may
 * be nested deeper than the call stack.
 */
export function isJsonEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isContainer(left) || !isContainer(right)) return false;
  const open: [object, object][] = [[left, right]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b] = pair as [Record<string, unknown>, Record<string, unknown>];
    if (Array.isArray(a) !== Array.isArray(b)) return false;
    const keys = Object.keys(a);
    if (keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      const x = a[key];
      const y = b[key];
      if (x === y) continue;
      if (!isContainer(x) || !isContainer(y)) return false;
      open.push([x, y]);
    }
  }
  return true;
}

/** Whether a value is an object or an array. */
export const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null;
