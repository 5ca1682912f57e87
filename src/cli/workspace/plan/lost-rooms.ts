import { toText } from '../../../api/to-text.ts'
import type { Item } from '../../output/views/views.ts'
import type { Section } from '../lock/lock.ts'

/** Returns the IDs of rooms from lost creations, by key. Omits a key without exactly one candidate. */
export function findLostRooms(rooms: ReadonlyMap<string, Item>, section: Section): Map<string, string> {
  const found = new Map<string, string>()
  for (const key of section.intents.keys()) {
    const [id, ...others] = listNewRooms(key, rooms, section)
    if (id !== undefined && others.length === 0) found.set(key, id)
  }
  return found
}

/** Lists unrecorded rooms that have the name of the key's intent and are not in its `existing` rooms. */
export function listNewRooms(
  key: string,
  rooms: ReadonlyMap<string, Item>,
  { intents, rooms: locked }: Section,
): string[] {
  const intent = intents.get(key)
  if (!intent) return []
  const ids = new Set([...locked.values()].map(({ id }) => id))
  return [...rooms.keys()].filter(
    (id) => toText(rooms.get(id)?.['name']) === intent.name && !intent.existing.includes(id) && !ids.has(id),
  )
}
