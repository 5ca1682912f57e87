import { toText } from '../../../api/to-text.ts'
import type { Item } from '../../output/views/views.ts'
import type { Section } from '../lock/lock.ts'

/** Creates keys from room names; rooms in the lock file keep their keys. Returns the keys by room ID. */
export function createKeys(rooms: readonly Item[], section: Section): Map<string, string> {
  const keys = new Map([...section.rooms].map(([key, { id }]) => [id, key]))
  const used = new Set(section.rooms.keys())
  const found = new Map<string, string>()
  const named = rooms.map((room) => ({ id: toText(room['id']), name: toText(room['name']) }))
  // The sort makes the keys independent of the order of the list.
  for (const { id, name } of named.sort((a, b) =>
    a.name < b.name || (a.name === b.name && a.id < b.id) ? -1 : 1,
  )) {
    const key = keys.get(id) ?? findFreeKey(toSlug(name), used)
    used.add(key)
    found.set(id, key)
  }
  return found
}

function toSlug(name: string): string {
  const words = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return words.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'room'
}

function findFreeKey(slug: string, used: ReadonlySet<string>): string {
  for (let n = 1; ; n++) {
    const key = n === 1 ? slug : `${slug}-${n}`
    if (!used.has(key)) return key
  }
}
