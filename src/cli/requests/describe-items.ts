import { listNames } from '../../api/plural.ts'

export const maxNamed = 10

/** Formats an item: `“Weekly sync” (66f1…)`, or its ID alone. */
export function labelItem(id: string, name: string): string {
  return name ? `“${name}” (${id})` : id
}

/**
 * Formats items: `room “Weekly sync” (66f1…)`, or `12 rooms 66f1…, 66f2… and 10 more`.
 * @param total number of items, when `labels` holds only the first ones
 */
export function describeItems(
  [one, many]: readonly [one: string, many: string],
  labels: readonly string[],
  total = labels.length,
): string {
  return `${total === 1 ? one : `${total} ${many}`} ${listNames(labels, maxNamed, total)}`
}
