export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many
}

export function counted(count: number, one: string, many?: string): string {
  return `${count} ${plural(count, one, many)}`
}

export const quoteNames = (names: Iterable<string>) => Array.from(names, (name) => `“${name}”`)

export function andMore(count: number | string): string {
  return `and ${count} more`
}

/**
 * Formats the first names and the number of other names, as in `a, b and 3 more`.
 * @param total number of names, if `names` is incomplete
 */
export function listNames(names: readonly string[], most: number, total = names.length): string {
  const first = names.slice(0, most)
  const rest = total > first.length ? ` ${andMore(total - first.length)}` : ''
  return `${first.join(', ')}${rest}`
}
