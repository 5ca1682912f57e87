import { isRecord } from '../../../api/guards.ts'
import { trimWhiteSpace } from '../../input/white-space.ts'

/** Fields that hold IDs. */
export const idFields: readonly string[] = ['user_id', 'room_id', 'id']

const nameFields: readonly string[] = ['name', 'member_name']
/** Fields that hold members or memberships, which have IDs and names of their own. */
const listFields: readonly string[] = ['members', 'memberships']

/** Whether a field tells items apart: white space around its value makes another item that looks the same. */
export function isIdentity(field: string): boolean {
  return idFields.includes(field) || nameFields.includes(field) || isEmail(field)
}

/** Whether a field holds an email address. The API lists no such field, and some services have one. */
export function isEmail(field: string): boolean {
  return /(^|_)e[-_]?mail(_address)?$/i.test(field)
}

/**
 * The value of a field, without white space around it where the field tells items apart.
 * @param onTrimmed told each field whose value changes
 */
export function trimmedValue(field: string, value: unknown, onTrimmed: (field: string) => void): unknown {
  if (typeof value === 'string') {
    const text = trimWhiteSpace(value)
    if (text === value || !isIdentity(field)) return value
    onTrimmed(field)
    return text
  }
  if (!Array.isArray(value) || !listFields.includes(field)) return value
  return value.map((one) => (isRecord(one) ? trimmedRecord(one, onTrimmed) : one))
}

function trimmedRecord(
  record: Readonly<Record<string, unknown>>,
  onTrimmed: (field: string) => void,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [field, trimmedValue(field, value, onTrimmed)]),
  )
}
