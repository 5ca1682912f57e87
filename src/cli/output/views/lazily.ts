/** Creates an object whose values are computed on first use. */
export function lazily<K extends string, V>(makers: Readonly<Record<K, () => V>>): Readonly<Record<K, V>> {
  const values = {} as Record<K, V>
  for (const name of Object.keys(makers) as K[]) {
    let value: V | undefined
    Object.defineProperty(values, name, { enumerable: true, get: () => (value ??= makers[name]()) })
  }
  return values
}
