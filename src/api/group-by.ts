/** Groups items like `Map.groupBy`, which needs Node 21. */
export function groupBy<T, K>(items: Iterable<T>, readKey: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = readKey(item)
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
