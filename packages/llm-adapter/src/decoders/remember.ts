/** Far more than an answer has: what may come again is known again, and no stream grows for ever. */
const limit = 1024;

/** Sets a value in a map that forgets its oldest entry when there are too many. */
export function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.set(key, value);
  if (map.size <= limit) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
