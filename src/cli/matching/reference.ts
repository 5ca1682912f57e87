import type { NameField } from './match.ts'

export type NamedKind = 'room' | 'user'

export type Reference = { id: string } | { field: NameField; text: string }

const fieldsOf: Record<NamedKind, readonly string[]> = { room: ['name'], user: ['name', 'email'] }

/** Parses an ID, `id:` before an ID, `name:` before an exact name, or `email:` before the email of a user. */
export function parseReference(kind: NamedKind, given: string): Reference {
  const [, prefix = '', text = ''] = /^(id|name|email):([\s\S]*)$/.exec(given) ?? []
  if (prefix === 'id') return { id: text }
  return fieldsOf[kind].includes(prefix) ? { field: prefix as NameField, text } : { id: given }
}

/** Formats an ID as an argument, with `id:` if the ID begins with a known prefix. */
export const formatId = (kind: NamedKind, id: string): string => (hasPrefix(kind, id) ? `id:${id}` : id)

export function hasPrefix(kind: NamedKind, given: string): boolean {
  const reference = parseReference(kind, given)
  return !('id' in reference) || reference.id !== given
}

export const toRoomName = (typed: string): string => (typed.startsWith('name:') ? typed : `name:${typed}`)
