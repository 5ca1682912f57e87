import { isDeepStrictEqual } from 'node:util'
import type { State } from './school.ts'
import type { Target } from './target.ts'

/** What a service holds of a field that was asked for. */
type Likeness = 'same' | 'equal' | 'similar' | 'longer' | 'old' | 'other'

/**
 * What became of an item.
 * - `done`: as it was asked for
 * - `equal`: with an equal value, such as another Unicode normalization
 * - `similar`: with a value in another letter case, or one that is cut off
 * - `longer`: with a suffix
 * - `partly`: some fields, and not others
 * - `misnamed`: with another name, type or ID
 * - `other`: with another value
 * - `not`: not at all
 */
export type Truth = 'done' | 'equal' | 'similar' | 'longer' | 'partly' | 'misnamed' | 'other' | 'not'

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" }
/** Text without the escapes of HTML and URLs, which change its spelling only. */
const unescaped = (text: string) =>
  text
    .replace(/&(\w+|#\w+);/g, (entity, name) => entities[name] ?? entity)
    .replace(/(?:%[\da-f]{2})+/gi, (escapes) => decodeURIComponent(escapes))
const normal = (text: string) => unescaped(text).normalize('NFC').trim()

function likeness(asked: unknown, held: unknown, old: unknown): Likeness {
  if (isDeepStrictEqual(asked, held)) return 'same'
  if (isDeepStrictEqual(held, old)) return 'old'
  if (typeof held !== 'string' || typeof asked !== 'string') return 'other'
  const [wanted, given] = [normal(asked), normal(held)]
  if (wanted === given) return 'equal'
  if (given !== '' && wanted.toLowerCase().startsWith(given.toLowerCase())) return 'similar'
  return given.startsWith(wanted) ? 'longer' : 'other'
}

/** The fields of an item that are not what was asked for, though they are like it. */
export function changedFields(target: Target, after: State): string[] {
  const [item = {}] = target.find(after)
  return Object.entries(target.asked)
    .filter(([field, value]) => !isDeepStrictEqual(value, item[field]))
    .map(([field]) => field)
}

/** Compares what a service holds with what a command has asked for. */
export function truthOf(target: Target, before: State, after: State): Truth {
  const [old] = target.find(before)
  const [item] = target.find(after)
  if (target.kind === 'delete') return item ? 'not' : 'done'
  if (!item) return 'not'
  const fields = Object.entries(target.asked).flatMap(([field, value]) => {
    // What was so before proves nothing.
    if (old && isDeepStrictEqual(value, old[field]) && isDeepStrictEqual(value, item[field])) return []
    // An ID has no other spelling.
    const like =
      field === 'user_id' && item[field] !== value ? 'other' : likeness(value, item[field], old?.[field])
    return like === 'other' && ['name', 'type', 'user_id'].includes(field) ? 'misnamed' : like
  })
  if (old && fields.length > 0 && fields.every((field) => field === 'old')) return 'not'
  if (fields.includes('misnamed')) return 'misnamed'
  if (fields.includes('other')) return 'other'
  if (fields.includes('old')) return old ? 'partly' : 'other'
  return (['longer', 'similar', 'equal'] as const).find((like) => fields.includes(like)) ?? 'done'
}
