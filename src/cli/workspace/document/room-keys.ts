import { toText } from '../../../api/to-text.ts'
import type { Item } from '../../output/views/views.ts'
import type { Section } from '../lock/lock.ts'

/** Creates keys from room names; rooms in the lock file keep their keys. Returns the keys by room ID. */
export function createKeys(rooms: readonly Item[], section: Section): Map<string, string> {
  const keys = new Map([...section.rooms].map(([key, { id }]) => [id, key]))
  const findFreeKey = createKeyFinder(new Set(section.rooms.keys()))
  const found = new Map<string, string>()
  const named = rooms.map((room) => ({ id: toText(room['id']), name: toText(room['name']) }))
  // The sort makes the keys independent of the order of the list.
  for (const { id, name } of named.sort((a, b) =>
    a.name < b.name || (a.name === b.name && a.id < b.id) ? -1 : 1,
  )) {
    found.set(id, keys.get(id) ?? findFreeKey(toSlug(name)))
  }
  return found
}

function toSlug(name: string): string {
  const words = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return words.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'room'
}

/** Creates a function that returns a new key on each call. A search continues after the last number of its slug. */
function createKeyFinder(used: Set<string>): (slug: string) => string {
  const lastNumbers = new Map<string, number>()
  return (slug) => {
    for (let n = (lastNumbers.get(slug) ?? 0) + 1; ; n++) {
      const key = n === 1 ? slug : `${slug}-${n}`
      if (used.has(key)) continue
      lastNumbers.set(slug, n)
      used.add(key)
      return key
    }
  }
}
