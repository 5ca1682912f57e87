import { listNames } from '../../api/plural.ts'

export const maxNamed = 10

export const labelItem = (id: string, name: string): string => (name ? `“${name}” (${id})` : id)

/** @param total number of items, if `labels` holds only the first items */
export function describeItems(
  [one, many]: readonly [one: string, many: string],
  labels: readonly string[],
  total = labels.length,
): string {
  return `${total === 1 ? one : `${total} ${many}`} ${listNames(labels, maxNamed, total)}`
}
