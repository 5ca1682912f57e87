import { listWritableFields } from '../../../api/resource-types.ts'
import { member, room, user } from '../../../api/resources.ts'
import type { Item } from '../../output/views/views.ts'
import type { Kind } from '../../records/records.ts'

const resources = { user, room, member }

/** Fields that a workspace file cannot declare as values. No response contains `webhook`. */
const excluded: ReadonlySet<string> = new Set(['user_id', 'is_blocked', 'members', 'webhook'])

function listFields(kind: Kind, write: 'create' | 'update'): string[] {
  return listWritableFields(write, resources[kind].fields)
    .map(([name]) => name)
    .filter((name) => !excluded.has(name))
}

const created = {
  user: listFields('user', 'create'),
  room: listFields('room', 'create'),
  member: listFields('member', 'create'),
}
const updated = {
  user: listFields('user', 'update'),
  room: listFields('room', 'update'),
  member: listFields('member', 'update'),
}

/** Lists declarable fields in the order of the resource. */
export function declarableFields(kind: Kind): string[] {
  return Object.keys(resources[kind].fields).filter(
    (name) => created[kind].includes(name) || updated[kind].includes(name),
  )
}

export function canUpdate(kind: Kind, field: string): boolean {
  return updated[kind].includes(field)
}

export function splitForCreation(kind: Kind, fields: Item): { create: Item; update: Item } {
  const isCreated = ([name]: [string, unknown]) => created[kind].includes(name)
  const entries = Object.entries(fields)
  return {
    create: Object.fromEntries(entries.filter(isCreated)),
    update: Object.fromEntries(entries.filter((entry) => !isCreated(entry))),
  }
}
