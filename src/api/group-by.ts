/** Groups items like `Map.groupBy`, which needs Node 21. */
export function groupBy<T, K>(items: Iterable<T>, readKey: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>()
  for (const item of items) addTo(groups, readKey(item), item)
  return groups
}

export function addTo<K, V>(groups: Map<K, V[]>, key: K, value: V): void {
  const group = groups.get(key)
  if (group) group.push(value)
  else groups.set(key, [value])
}
