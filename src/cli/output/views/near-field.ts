import { findClosest } from '../../../api/closest.ts'
import { UsageError } from '../../../errors.ts'

/** Words for fields, with the fields that they may mean. The first one that a list has is suggested. */
const fieldWords: Readonly<Record<string, readonly string[]>> = {
  role: ['type', 'default_member_type'],
  member_type: ['type', 'default_member_type'],
  user: ['who', 'user_id', 'name'],
  person: ['user_id', 'name'],
  room: ['room_id', 'name'],
  title: ['name'],
  mail: ['email'],
  e_mail: ['email'],
  state: ['status'],
  blocked: ['is_blocked'],
  created: ['created_at'],
  updated: ['updated_at'],
  duration: ['meeting_time'],
  action: ['what'],
  operator: ['who'],
  actor: ['who'],
  by: ['who'],
  target: ['whose'],
  result: ['outcome'],
  date: ['time', 'created_at'],
}

/**
 * Finds the field that was probably meant by a word that is no field.
 * @param maxEdits edits of a misspelled word; 0 for the exact word or its synonym
 */
export function findNearField(word: string, fields: readonly string[], maxEdits = 2): string | undefined {
  const name = word.replaceAll('-', '_').toLowerCase()
  if (fields.includes(name)) return name
  const meant = Object.hasOwn(fieldWords, name) ? fieldWords[name] : undefined
  return (
    meant?.find((field) => fields.includes(field)) ??
    (maxEdits > 0 ? findClosest(name, fields, maxEdits) : undefined)
  )
}

/**
 * Creates the error for a field that no item has.
 * @param where the flag and a colon, or an empty text
 * @param value the value of the flag, which contains the field
 */
export function toUnknownFieldError(
  where: string,
  noun: string,
  field: string,
  value: string,
  fields: readonly string[],
): UsageError {
  const near = findNearField(field, fields)
  const meant = near === undefined ? '' : `did you mean “${near}”? `
  return new UsageError(`${where}no ${noun} has a field “${field}”`, {
    hint: `${meant}fields are ${fields.join(', ')}`,
    ...(near !== undefined && { correction: [value, correctFields(value, field, near, fields)] as const }),
  })
}

/** Replaces a field in the value of a flag, and in a list of fields all that were probably meant. */
function correctFields(value: string, field: string, near: string, fields: readonly string[]): string {
  if (!/^-?[\w.]+(,-?[\w.]+)*$/.test(value)) return value.replace(field, near)
  return value.replace(/[\w.]+/g, (name) => findNearField(name, fields) ?? name)
}
