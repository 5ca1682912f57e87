import { listNames } from '../../api/plural.ts'

export const maxNamed = 10

/** Formats an item as `“Weekly sync” (66f1…)`, or as its ID if the item has no name. */
export function labelItem(id: string, name: string): string {
  return name ? `“${name}” (${id})` : id
}

/**
 * Formats items as `room “Weekly sync” (66f1…)` or `12 rooms 66f1…, 66f2… and 10 more`.
 * @param total number of items, if `labels` holds only the first items
 */
export function describeItems(
  [one, many]: readonly [one: string, many: string],
  labels: readonly string[],
  total = labels.length,
): string {
  return `${total === 1 ? one : `${total} ${many}`} ${listNames(labels, maxNamed, total)}`
}
