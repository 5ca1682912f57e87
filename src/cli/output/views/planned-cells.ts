import { toText } from '../../../api/to-text.ts'
import type { Item } from './views.ts'

/** Signs of planned rows by action. */
export const planSigns = {
  ...{ create: '+', change: '~', remove: '-' },
  ...{ gone: '!', exists: '!', conflict: '!', unread: '?', cannot: '!', not_shown: '?', unblocked: '!' },
  not_in_file: '*',
} as const

interface FieldChange {
  readonly field: string
  readonly before?: unknown
  readonly after: unknown
}

export function describeItem({ kind, key, room_key, name }: Item): string {
  if (kind === 'member') return `${toText(room_key)}/${toText(key)}`
  return name === null || name === key ? toText(key) : `${toText(key)} (${toText(name)})`
}

export function describeDetails({ changes, reason }: Item): string {
  const fields = (changes as readonly FieldChange[]).map(describeChange).join(', ')
  return [fields, toText(reason)].filter(Boolean).join('; ')
}

/** Formats a change as `name: Algebra → Algebra II`; the value before is omitted for a new field. */
function describeChange(change: FieldChange): string {
  const { field, before, after } = change
  return Object.hasOwn(change, 'before')
    ? `${field}: ${formatValue(before)} → ${formatValue(after)}`
    : `${field}: ${formatValue(after)}`
}

function formatValue(value: unknown): string {
  return toText(value) === '' ? '(empty)' : toText(value)
}
