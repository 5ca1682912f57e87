import { isRecord } from '../../../api/guards.ts'
import { isEmailField } from '../../input/unlikely-id.ts'
import { trimWhiteSpace } from '../../input/white-space.ts'

export const idFields: readonly string[] = ['user_id', 'room_id', 'id']

const nameFields: readonly string[] = ['name', 'member_name']
export const listFields: readonly string[] = ['members', 'memberships']

/** Returns true for IDs, names and emails. White space around their values would create duplicates. */
export function isIdentifyingField(field: string): boolean {
  return idFields.includes(field) || nameFields.includes(field) || isEmailField(field)
}

/**
 * Removes white space around identifying values.
 * @param onTrimmed called with each field whose value changes
 */
export function trimValue(field: string, value: unknown, onTrimmed: (field: string) => void): unknown {
  if (typeof value === 'string') {
    const text = trimWhiteSpace(value)
    if (text === value || !isIdentifyingField(field)) return value
    onTrimmed(field)
    return text
  }
  if (!Array.isArray(value) || !listFields.includes(field)) return value
  const trim = ([field, value]: [string, unknown]) => [field, trimValue(field, value, onTrimmed)]
  return value.map((item) => (isRecord(item) ? Object.fromEntries(Object.entries(item).map(trim)) : item))
}
