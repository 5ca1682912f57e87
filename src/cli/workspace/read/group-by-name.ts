import { toText } from '../../../api/to-text.ts'
import type { Item } from '../../output/views/views.ts'

/** Returns the IDs of rooms by name. Thousands of rooms may have the same name. */
export function groupByName(rooms: ReadonlyMap<string, Item>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const [id, room] of rooms) {
    const name = toText(room['name'])
    const ids = groups.get(name)
    if (ids) ids.push(id)
    else groups.set(name, [id])
  }
  return groups
}
