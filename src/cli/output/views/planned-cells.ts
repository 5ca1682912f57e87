import { toText } from '../../../api/to-text.ts'
import type { Item } from './views.ts'

export const planSigns = {
  ...{ create: '+', change: '~', remove: '-' },
  ...{ gone: '!', exists: '!', conflict: '!', unread: '?', cannot: '!', not_shown: '?', unblocked: '!' },
  not_in_file: '*',
} as const

export function describeItem({ kind, key, room_key, name }: Item): string {
  if (kind === 'member') return `${toText(room_key)}/${toText(key)}`
  return name === null || name === key ? toText(key) : `${toText(key)} (${toText(name)})`
}

export function describeDetails({ changes, reason }: Item): string {
  const fields = (changes as readonly Item[]).map(describeChange).join(', ')
  return [fields, toText(reason)].filter(Boolean).join('; ')
}

function describeChange(change: Item): string {
  const { field, before, after } = change
  const from = Object.hasOwn(change, 'before') ? `${formatValue(before)} → ` : ''
  return `${toText(field)}: ${from}${formatValue(after)}`
}

const formatValue = (value: unknown): string => (toText(value) === '' ? '(empty)' : toText(value))
