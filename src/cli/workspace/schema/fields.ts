import { listWritableFields } from '../../../api/resource-types.ts'
import { member, room, user } from '../../../api/resources.ts'
import type { Item } from '../../output/views/views.ts'
import type { Kind } from '../../records/records.ts'

export const resources = { user, room, member }

/** Fields that a workspace file cannot declare as values. No response contains `webhook`. */
const excluded: ReadonlySet<string> = new Set(['user_id', 'is_blocked', 'members', 'webhook'])

function listFields(kind: Kind, write: 'create' | 'update'): string[] {
  return listWritableFields(write, resources[kind].fields)
    .map(([name]) => name)
    .filter((name) => !excluded.has(name))
}

/** Lists declarable fields in the order of the resource. */
export function declarableFields(kind: Kind): string[] {
  const writable = [...listFields(kind, 'create'), ...listFields(kind, 'update')]
  return Object.keys(resources[kind].fields).filter((name) => writable.includes(name))
}

export function canUpdate(kind: Kind, field: string): boolean {
  return listFields(kind, 'update').includes(field)
}

export function splitForCreation(kind: Kind, fields: Item): { create: Item; update: Item } {
  const created = listFields(kind, 'create')
  const isCreated = ([name]: [string, unknown]) => created.includes(name)
  const entries = Object.entries(fields)
  return {
    create: Object.fromEntries(entries.filter(isCreated)),
    update: Object.fromEntries(entries.filter((entry) => !isCreated(entry))),
  }
}
